// Addresses of the web as they may be fetched: http or https, a host that can be read, a port of the web or one that is
// configured, and nobody's password.
import { invalidParam, ToolError } from '../../errors.ts'
import { hasControlCharacters } from '../../text/escape-invisible.ts'
import { coversHost, type HostName, type HostPattern, hostText, readHost } from '../../text/url/hosts.ts'

export interface WebAddress {
  url: URL
  host: HostName
  port: number
}

/** What policy says of reaching an address. */
export type UrlPolicy = (url: string) => 'allow' | 'ask' | 'deny'

const MAX_URL_CHARACTERS = 4_096
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Throws INVALID_PARAMS for what is no address, and URL_BLOCKED for one that is never fetched. `ports` are patterns that
 * may name other ports. */
export function parseWebAddress(text: string, ports: readonly HostPattern[]): WebAddress {
  if (text.length > MAX_URL_CHARACTERS)
    throw invalidParam('url', `has ${text.length} characters; the most are ${MAX_URL_CHARACTERS}.`)
  if (hasControlCharacters(text)) throw invalidParam('url', 'holds control characters.')
  if (!URL.canParse(text)) throw invalidParam('url', 'must be a whole URL, such as https://example.com/page.')
  return validateUrl(new URL(text), text, ports)
}

/** Where a redirect leads. */
export function resolveRedirect(from: URL, location: string, ports: readonly HostPattern[]): WebAddress {
  if (hasControlCharacters(location) || location.length > MAX_URL_CHARACTERS || !URL.canParse(location, from.href))
    throw new ToolError('URL_BLOCKED', `${from.host} leads on to what is no URL.`)
  const url = new URL(location, from)
  // The part behind # is not sent, and goes with the page that was asked for.
  if (url.hash === '') url.hash = from.hash
  return validateUrl(url, location, ports)
}

function validateUrl(url: URL, text: string, ports: readonly HostPattern[]): WebAddress {
  const usual = DEFAULT_PORTS[url.protocol]
  if (usual === undefined)
    throw new ToolError('URL_BLOCKED', `Only https and http are fetched, and no ${url.protocol.slice(0, -1)}.`)
  // A URL without slashes is read as if it had some, but nobody means one.
  if (/^https?:(?!\/\/)/i.test(text)) throw invalidParam('url', 'needs two slashes behind http: or https:.')
  if (url.username !== '' || url.password !== '')
    throw new ToolError('URL_BLOCKED', 'It holds a user name or password, which are never sent by way of a URL.')
  const host = readHost(url.hostname)
  if (!host) throw new ToolError('URL_BLOCKED', 'It does not name a host that can be looked up.')
  const port = url.port === '' ? usual : Number(url.port)
  if (port === 80 || port === 443 || ports.some(pattern => coversHost(pattern, host, port))) return { url, host, port }
  const name = `${'address' in host && host.address.includes(':') ? `[${host.address}]` : hostText(host)}:${port}`
  throw new ToolError('URL_BLOCKED', `Port ${port} is none of the web. To have it reached, put ${name} into web.allow.`)
}

const isSameHost = ({ host }: WebAddress, other: WebAddress) => hostText(host) === hostText(other.host)

/** Whether both are of whoever has the name: the same one, with or without www. before it. */
const isSameSite = ({ host }: WebAddress, other: WebAddress) => withoutWww(host) === withoutWww(other.host)

const withoutWww = (host: HostName) => hostText(host).replace(/^www\./, '')

/** Whether leave for where it began is leave for this too. A person who was asked about a name means its owner; a list
 * means what stands on it. Nobody means to go on without TLS. */
export function inheritsPermission(
  { start, reach }: { start: WebAddress; reach: UrlPolicy },
  next: WebAddress
): boolean {
  if (start.url.protocol === 'https:' && next.url.protocol === 'http:') return false
  return isSameHost(start, next) || (isSameSite(start, next) && reach(start.url.href) === 'ask')
}

/** What is sent of it. */
export const stripFragment = ({ href, hash }: URL) => (hash === '' ? href : href.slice(0, -hash.length))
