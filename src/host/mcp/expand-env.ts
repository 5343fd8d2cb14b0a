// Expands environment variables in a configuration, so that no secret is stored in a file.
import type { McpServer } from '../../config/mcp.ts'
import type { Environment } from '../processes/environment.ts'
import { McpConfigurationError } from './errors.ts'

const ENV_REFERENCE = /\$\{(?:env:)?(?<name>[A-Za-z_][A-Za-z0-9_]*)\}/g

/** Replaces each `${env:NAME}` in a text. Throws `McpConfigurationError` for a variable that is not set. */
export function expandEnv(text: string, environment: Environment): string {
  return text.replaceAll(ENV_REFERENCE, (_, name: string) => {
    const value = environment[name]
    if (value === undefined)
      throw new McpConfigurationError(`the environment of the Toolgate server has no variable ${name}`)
    return value
  })
}

export const expandEnvValues = (
  table: Readonly<Record<string, string>> | undefined,
  environment: Environment
): Record<string, string> =>
  Object.fromEntries(Object.entries(table ?? {}).map(([name, text]) => [name, expandEnv(text, environment)]))

/** Minimum length of a redacted secret: shorter texts are too common. */
const MIN_SECRET_CHARACTERS = 8

/** Returns the secrets in the headers and settings of servers, as far as they can be determined. */
export function findConfiguredSecrets(
  brought: readonly { mcp_servers: Readonly<Record<string, McpServer>> }[],
  environment: Environment
): string[] {
  const given = brought.flatMap(({ mcp_servers }) =>
    Object.values(mcp_servers).flatMap(({ headers = {}, oauth }) => [
      ...Object.values(headers),
      oauth?.client_secret ?? ''
    ])
  )
  return given.flatMap(text => {
    const whole = text.replaceAll(ENV_REFERENCE, (_, name: string) => environment[name] ?? '')
    // The scheme of a header is no secret.
    const secret = whole.replace(/^[A-Za-z]+ +/, '')
    return secret.length >= MIN_SECRET_CHARACTERS ? [secret] : []
  })
}
