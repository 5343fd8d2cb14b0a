// Parses the address of a git remote: https, ssh, or a local folder. All other forms that git accepts name a program, an option
// or an insecure transport, and are refused.
import { escapeInvisible, hasControlCharacters } from '../escape-invisible.ts'

export interface RemoteAddress {
  transport: 'https' | 'ssh' | 'file'
  /** The folder, for `file`. */
  path: string
  /** The address without credentials and control characters. */
  redacted: string
}

/** The error is the end of a sentence, such as `is empty`. */
export function readRemote(address: string): RemoteAddress | { error: string } {
  if (address.trim() === '') return { error: 'is empty' }
  if (hasControlCharacters(address)) return { error: 'contains control characters' }
  if (address.startsWith('-')) return { error: 'begins with a dash, like an option' }
  if (HELPER.test(address)) return { error: 'specifies a git program as its transport' }
  const url = URL_FORM.exec(address)?.groups
  if (url) return parseUrlForm(address, url)
  const scp = SCP_FORM.exec(address)?.groups
  return scp ? parseScpForm(address, scp) : { transport: 'file', path: address, redacted: escapeInvisible(address) }
}

const HELPER = /^[A-Za-z0-9+.-]*::/
const URL_FORM = /^(?<scheme>[^/:]*):\/\/(?:(?<user>[^/]*)@)?(?<host>[^/?#]*)(?<rest>.*)$/s
const SCP_FORM = /^(?:(?<user>[^/:]*)@)?(?<host>\[[^/\]]*\]|[^/:[]*):(?<path>.*)$/s

type Groups = Record<string, string | undefined>

function parseUrlForm(address: string, { scheme, user, host = '', rest = '' }: Groups): ReturnType<typeof readRemote> {
  if (scheme === 'file') {
    if (host !== '') return { error: 'has a host, which is not allowed in a file URL' }
    return { transport: 'file', path: percentDecode(rest), redacted: escapeInvisible(address) }
  }
  if (scheme !== 'https' && scheme !== 'ssh')
    return { error: `is neither https, ssh nor a folder; ${JSON.stringify(scheme)} is not supported` }
  const error = hostError(percentDecode(host), user === undefined ? undefined : percentDecode(user))
  if (error !== undefined) return { error }
  const name = user === undefined ? '' : `${scheme === 'ssh' ? redactPassword(user) : '***'}@`
  return { transport: scheme, path: rest, redacted: escapeInvisible(`${scheme}://${name}${host}${redactQuery(rest)}`) }
}

function parseScpForm(address: string, { user, host = '', path = '' }: Groups): ReturnType<typeof readRemote> {
  const error = hostError(host, user)
  if (error !== undefined) return { error }
  if (path.startsWith('-')) return { error: 'has a path that begins with a dash' }
  return { transport: 'ssh', path, redacted: escapeInvisible(address) }
}

function hostError(host: string, user: string | undefined): string | undefined {
  if (host === '') return 'has no host'
  if (host.startsWith('-') || host.startsWith('[-')) return 'has a host that begins with a dash'
  if (user?.startsWith('-')) return 'has a user that begins with a dash'
  return hasControlCharacters(host) || hasControlCharacters(user ?? '') ? 'contains control characters' : undefined
}

const redactPassword = (user: string) => user.replace(/:.*$/s, ':***')
const redactQuery = (rest: string) => rest.replace(/[?#].*$/s, '?***')

/** Decodes percent signs as git does. */
const percentDecode = (text: string) =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
