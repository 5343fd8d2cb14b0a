// Allowlist of the server's environment variables that commands may see. All others, tokens and keys above all, are withheld.
import { CERTIFICATE_VARIABLES } from '../certificate-variables.ts'

const ALLOWED = ['PATH', 'HOME', 'LANG', 'TZ', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR']
const ALLOWED_PREFIXES = ['LC_']
/**
 * Settings for commands without a user: no pager, no guessed color, no prompt without input. CI is not claimed, because tests and
 * builds behave differently there.
 */
const NON_INTERACTIVE = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GCM_INTERACTIVE: 'never',
  DEBIAN_FRONTEND: 'noninteractive'
}
/** Prefix of the server's own variables: never passed to a command, whatever is configured or requested. */
const OWN_PREFIX = 'TOOLGATE_'
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Builds the environment of a command: the allowed part of the server's, then the variables of the call. Key agents, such as
 * SSH_AUTH_SOCK, are included only if configured.
 */
export function commandEnvironment(
  own: Environment,
  alsoAllowed: readonly string[],
  set: Readonly<Record<string, string>>
): Record<string, string> {
  const allowed = new Set([...ALLOWED, ...CERTIFICATE_VARIABLES, ...alsoAllowed])
  const result: Record<string, string> = { PATH: DEFAULT_PATH, ...NON_INTERACTIVE }
  for (const [name, value] of Object.entries(own)) {
    const named = allowed.has(name) || ALLOWED_PREFIXES.some(prefix => name.startsWith(prefix))
    if (named && value !== undefined) result[name] = value
  }
  Object.assign(result, set)
  for (const name of Object.keys(result)) if (name.startsWith(OWN_PREFIX)) delete result[name]
  return result
}

/** Builds the environment of programs that the server runs for itself: nothing in it alters their behavior. */
export const minimalEnvironment = (own: Environment): Record<string, string> => ({ PATH: own.PATH ?? DEFAULT_PATH })
