// Values that a configuration takes from the environment of the server, so that no secret stands in a file.
import type { McpServer } from '../../config/mcp.ts'
import type { Environment } from '../processes/environment.ts'
import { McpConfigurationError } from './errors.ts'

const ENV_REFERENCE = /\$\{(?:env:)?(?<name>[A-Za-z_][A-Za-z0-9_]*)\}/g

/** The text with each `${env:NAME}` replaced. Throws `McpConfigurationError` where a variable is not set. */
export function expandEnv(text: string, environment: Environment): string {
  return text.replaceAll(ENV_REFERENCE, (_, name: string) => {
    const value = environment[name]
    if (value === undefined)
      throw new McpConfigurationError(`the variable ${name} is not set where Toolgate was started`)
    return value
  })
}

export const expandEnvValues = (
  table: Readonly<Record<string, string>> | undefined,
  environment: Environment
): Record<string, string> =>
  Object.fromEntries(Object.entries(table ?? {}).map(([name, text]) => [name, expandEnv(text, environment)]))

/** Anything shorter is too common a text to be hidden. */
const MIN_SECRET_CHARACTERS = 8

/** What headers and secrets of servers hold, where that can be told. */
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
    // The scheme of a header is nothing to hide.
    const secret = whole.replace(/^[A-Za-z]+ +/, '')
    return secret.length >= MIN_SECRET_CHARACTERS ? [secret] : []
  })
}
