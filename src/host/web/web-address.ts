// Web addresses that may be fetched: http or https, a valid host, a standard or configured port, and no credentials.
import { invalidParam, ToolError } from '../../errors.ts'
import { hasControlCharacters } from '../../text/escape-invisible.ts'
import { coversHost, type HostName, type HostPattern, hostText, readHost } from '../../text/url/hosts.ts'

export interface WebAddress {
  url: URL
  host: HostName
  port: number
}

/** Returns the policy's decision on an address. */
export type UrlPolicy = (url: string) => 'allow' | 'ask' | 'deny'

const MAX_URL_CHARACTERS = 4_096
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/**
 * Throws INVALID_PARAMS for an invalid address, and URL_BLOCKED for one that is never fetched. `ports` are patterns that may
 * permit other ports.
 */
export function parseWebAddress(text: string, ports: readonly HostPattern[]): WebAddress {
  if (text.length > MAX_URL_CHARACTERS)
    throw invalidParam('url', `has ${text.length} characters; the maximum is ${MAX_URL_CHARACTERS}.`)
  if (hasControlCharacters(text)) throw invalidParam('url', 'contains control characters.')
  if (!URL.canParse(text)) throw invalidParam('url', 'must be an absolute URL, such as https://example.com/page.')
  return validateUrl(new URL(text), text, ports)
}

/** Resolves the target of a redirect. */
export function resolveRedirect(from: URL, location: string, ports: readonly HostPattern[]): WebAddress {
  if (hasControlCharacters(location) || location.length > MAX_URL_CHARACTERS || !URL.canParse(location, from.href))
    throw new ToolError('URL_BLOCKED', `${from.host} redirects to an invalid URL.`)
  const url = new URL(location, from)
  // The fragment is not sent, and stays with the requested page.
  if (url.hash === '') url.hash = from.hash
  return validateUrl(url, location, ports)
}

function validateUrl(url: URL, text: string, ports: readonly HostPattern[]): WebAddress {
  const usual = DEFAULT_PORTS[url.protocol]
  if (usual === undefined)
    throw new ToolError('URL_BLOCKED', `URLs with ${url.protocol.slice(0, -1)} are not supported. Use https or http.`)
  // A URL without slashes would be parsed as if it had some, but is a mistake.
  if (/^https?:(?!\/\/)/i.test(text)) throw invalidParam('url', 'requires two slashes after http: or https:.')
  if (url.username !== '' || url.password !== '')
    throw new ToolError('URL_BLOCKED', 'The URL contains a user name or password, which are not allowed in a URL.')
  const host = readHost(url.hostname)
  if (!host) throw new ToolError('URL_BLOCKED', 'The URL has no valid host name.')
  const port = url.port === '' ? usual : Number(url.port)
  if (port === 80 || port === 443 || ports.some(pattern => coversHost(pattern, host, port))) return { url, host, port }
  const name = `${'address' in host && host.address.includes(':') ? `[${host.address}]` : hostText(host)}:${port}`
  throw new ToolError(
    'URL_BLOCKED',
    `Port ${port} is not a standard web port (80, 443). To allow it, add ${name} to web.allow.`
  )
}

const isSameHost = ({ host }: WebAddress, other: WebAddress) => hostText(host) === hostText(other.host)

/** Checks if both have the same owner: equal names, with or without the prefix www. */
const isSameSite = ({ host }: WebAddress, other: WebAddress) => withoutWww(host) === withoutWww(other.host)

const withoutWww = (host: HostName) => hostText(host).replace(/^www\./, '')

/**
 * Checks if permission for the initial address includes this one. A person's approval of a name means its owner; a list means its
 * entries. Permission never includes a downgrade from TLS.
 */
export function inheritsPermission(
  { start, reach }: { start: WebAddress; reach: UrlPolicy },
  next: WebAddress
): boolean {
  if (start.url.protocol === 'https:' && next.url.protocol === 'http:') return false
  return isSameHost(start, next) || (isSameSite(start, next) && reach(start.url.href) === 'ask')
}

/** Returns the part that is sent. */
export const stripFragment = ({ href, hash }: URL) => (hash === '' ? href : href.slice(0, -hash.length))
