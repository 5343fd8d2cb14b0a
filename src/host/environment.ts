// Which variables of the server's own environment a command may see. Everything else, tokens and keys above all, stays.

const ALLOWED = ['PATH', 'HOME', 'LANG', 'TZ', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR']
const ALLOWED_PREFIXES = ['LC_']
const FIXED = { TERM: 'dumb' }
/** Ours alone: never handed to a command, whatever is configured or asked for. */
const OWN_PREFIX = 'TOOLGATE_'
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of a command: the allowed part of the server's, then what the call itself sets. */
export function commandEnvironment(
  own: Environment,
  alsoAllowed: readonly string[],
  set: Readonly<Record<string, string>>
): Record<string, string> {
  const allowed = new Set([...ALLOWED, ...alsoAllowed])
  const result: Record<string, string> = { PATH: DEFAULT_PATH, ...FIXED }
  for (const [name, value] of Object.entries(own)) {
    const named = allowed.has(name) || ALLOWED_PREFIXES.some(prefix => name.startsWith(prefix))
    if (named && value !== undefined) result[name] = value
  }
  Object.assign(result, set)
  for (const name of Object.keys(result)) if (name.startsWith(OWN_PREFIX)) delete result[name]
  return result
}

/** The environment of programs that the server runs for itself: nothing in it changes what they do. */
export const plainEnvironment = (own: Environment): Record<string, string> => ({ PATH: own.PATH ?? DEFAULT_PATH })
