// Which variables of the server's own environment a command may see. Everything else, tokens and keys above all, stays.
import { CERTIFICATE_VARIABLES } from '../certificate-variables.ts'

const ALLOWED = ['PATH', 'HOME', 'LANG', 'TZ', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR']
const ALLOWED_PREFIXES = ['LC_']
/** Nobody sits in front of a command: nothing is paged, coloured by guess, or asked for where there is no input. That it
 * runs in a continuous integration is not claimed, because tests and builds do other things there. */
const NON_INTERACTIVE = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GCM_INTERACTIVE: 'never',
  DEBIAN_FRONTEND: 'noninteractive'
}
/** Ours alone: never handed to a command, whatever is configured or asked for. */
const OWN_PREFIX = 'TOOLGATE_'
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of a command: the allowed part of the server's, then what the call itself sets. Agents that hold keys,
 * such as SSH_AUTH_SOCK, are in it only where they are configured. */
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

/** The environment of programs that the server runs for itself: nothing in it changes what they do. */
export const minimalEnvironment = (own: Environment): Record<string, string> => ({ PATH: own.PATH ?? DEFAULT_PATH })
