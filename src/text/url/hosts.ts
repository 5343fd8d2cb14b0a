// Normalizes hosts, so that the host matched against a list is the one that is resolved and connected to; and parses host
// patterns: `example.com` is only that name, `*.example.com` every subdomain, and either may include a port. Without one, the
// standard web ports apply.

/** A name in lower-case ASCII without its trailing dot, or an address. */
export type HostName = { name: string } | { address: string }

export interface HostPattern {
  host: HostName
  /** Matches every subdomain of `host`, but not `host` itself. */
  includesSubdomains: boolean
  ports: readonly number[]
}

const WEB_PORTS: readonly number[] = [80, 443]

const MAX_HOST_LENGTH = 253
/** Letters, digits and their joiners, or an IPv6 address in brackets: no NUL, `%`, `@`, slash or space. */
const WELL_FORMED = /^(?:\[[0-9A-Fa-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)$/u
const NAME = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/
/** In the normalized spelling of URLs. */
const ADDRESS = /^(?:\[(?<six>.*)\]|(?<four>\d{1,3}(?:\.\d{1,3}){3}))$/

/** Returns undefined for an invalid host. */
export function readHost(text: string): HostName | undefined {
  if (text.length > MAX_HOST_LENGTH + 1 || !WELL_FORMED.test(text) || !URL.canParse(`http://${text}/`)) return undefined
  // IDNA for names, and a normalized spelling for addresses.
  const host = new URL(`http://${text}/`).hostname
  const { six, four } = ADDRESS.exec(host)?.groups ?? {}
  const address = six ?? four
  if (address !== undefined) return { address }
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  return name.length <= MAX_HOST_LENGTH && NAME.test(name) ? { name } : undefined
}

/** Returns the host for display and lookup. */
export const hostText = (host: HostName) => ('name' in host ? host.name : host.address)

const SHAPE = /^(?<star>\*\.)?(?<written>\[[^\]]*\]|[^:]*)(?::(?<port>[1-9][0-9]{0,4}))?$/su

/** Second-level labels of country domains under which anyone can register names. */
const SHARED_LABELS = 'ac|co|com|edu|go|gob|gouv|gov|gv|ltd|mil|ne|net|nom|or|org|plc|sch'
const SHARED = new RegExp(`^(?:[^.]+|(?:${SHARED_LABELS})\\.[a-z]{2})$`)

/**
 * Returns undefined for an invalid pattern; patterns for a whole top-level domain, or for one such as `co.uk`, are invalid too.
 */
export function readHostPattern(text: string): HostPattern | undefined {
  const { star, written = '', port } = SHAPE.exec(text)?.groups ?? {}
  const host = readHost(written)
  const includesSubdomains = star !== undefined
  const fits =
    host && (!includesSubdomains || ('name' in host && !SHARED.test(host.name))) && Number(port ?? 1) <= 65_535
  return fits ? { host, includesSubdomains, ports: port === undefined ? WEB_PORTS : [Number(port)] } : undefined
}

/** Returns the error of a pattern; undefined if it is valid. */
export const hostPatternError = (text: string) =>
  readHostPattern(text)
    ? undefined
    : `${JSON.stringify(text)} is not a host; valid are example.com, *.example.com and example.com:8443.`

/** Checks if the pattern matches a host and port. */
export const coversHost = (pattern: HostPattern, host: HostName, port: number) =>
  coversPattern(pattern, { host, includesSubdomains: false, ports: [port] })

/** Checks if the pattern includes every host and port of another. */
export const coversPattern = (pattern: HostPattern, other: HostPattern) =>
  coversNames(pattern, other) && other.ports.every(port => pattern.ports.includes(port))

/** Checks if any host and port matches both patterns. */
export const patternsOverlap = (one: HostPattern, other: HostPattern) =>
  (coversNames(one, other) || coversNames(other, one)) && one.ports.some(port => other.ports.includes(port))

function coversNames({ host, includesSubdomains }: HostPattern, other: HostPattern): boolean {
  if (!includesSubdomains) return !other.includesSubdomains && hostText(host) === hostText(other.host)
  if (!('name' in other.host)) return false
  return (
    other.host.name.endsWith(`.${hostText(host)}`) || (other.includesSubdomains && other.host.name === hostText(host))
  )
}
