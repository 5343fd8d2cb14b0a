// One spelling for each host, so that what is held against a list is what is looked up and dialled; and patterns over
// hosts: `example.com` is that name alone, `*.example.com` every name beneath it, and either may name the one port that
// is meant. Without one, the ports of the web are.

/** A name in lower-case ASCII without its last dot, or an address. */
export type HostName = { name: string } | { address: string }

export interface HostPattern {
  host: HostName
  /** Every name beneath `host`, and not that one itself. */
  includesSubdomains: boolean
  ports: readonly number[]
}

const WEB_PORTS: readonly number[] = [80, 443]

const MAX_HOST_LENGTH = 253
/** Letters, digits and what joins them, or an IPv6 address in brackets: no NUL, `%`, `@`, slash or space. */
const WELL_FORMED = /^(?:\[[0-9A-Fa-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)$/u
const NAME = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/
/** As URLs spell them, however they were written. */
const ADDRESS = /^(?:\[(?<six>.*)\]|(?<four>\d{1,3}(?:\.\d{1,3}){3}))$/

/** Undefined for what is no host. */
export function readHost(text: string): HostName | undefined {
  if (text.length > MAX_HOST_LENGTH + 1 || !WELL_FORMED.test(text) || !URL.canParse(`http://${text}/`)) return undefined
  // IDNA for names, and one spelling for each way to write an address.
  const host = new URL(`http://${text}/`).hostname
  const { six, four } = ADDRESS.exec(host)?.groups ?? {}
  const address = six ?? four
  if (address !== undefined) return { address }
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  return name.length <= MAX_HOST_LENGTH && NAME.test(name) ? { name } : undefined
}

/** As it is shown and looked up. */
export const hostText = (host: HostName) => ('name' in host ? host.name : host.address)

const SHAPE = /^(?<star>\*\.)?(?<written>\[[^\]]*\]|[^:]*)(?::(?<port>[1-9][0-9]{0,4}))?$/su

/** Beneath a country, anybody may have a name beneath these. */
const SHARED_LABELS = 'ac|co|com|edu|go|gob|gouv|gov|gv|ltd|mil|ne|net|nom|or|org|plc|sch'
const SHARED = new RegExp(`^(?:[^.]+|(?:${SHARED_LABELS})\\.[a-z]{2})$`)

/** Undefined for what is no pattern; all names of a top-level domain, or of one as `co.uk`, are none either. */
export function readHostPattern(text: string): HostPattern | undefined {
  const { star, written = '', port } = SHAPE.exec(text)?.groups ?? {}
  const host = readHost(written)
  const includesSubdomains = star !== undefined
  const fits =
    host && (!includesSubdomains || ('name' in host && !SHARED.test(host.name))) && Number(port ?? 1) <= 65_535
  return fits ? { host, includesSubdomains, ports: port === undefined ? WEB_PORTS : [Number(port)] } : undefined
}

/** Why the text is no pattern; undefined where it is one. */
export const hostPatternError = (text: string) =>
  readHostPattern(text)
    ? undefined
    : `${JSON.stringify(text)} is no host: example.com, *.example.com and example.com:8443 are.`

/** Whether the pattern is for this host and port. */
export const coversHost = (pattern: HostPattern, host: HostName, port: number) =>
  coversPattern(pattern, { host, includesSubdomains: false, ports: [port] })

/** Whether the pattern is for every host and port that the other is for. */
export const coversPattern = (pattern: HostPattern, other: HostPattern) =>
  coversNames(pattern, other) && other.ports.every(port => pattern.ports.includes(port))

/** Whether there is a host and port that both are for. */
export const patternsOverlap = (one: HostPattern, other: HostPattern) =>
  (coversNames(one, other) || coversNames(other, one)) && one.ports.some(port => other.ports.includes(port))

function coversNames({ host, includesSubdomains }: HostPattern, other: HostPattern): boolean {
  if (!includesSubdomains) return !other.includesSubdomains && hostText(host) === hostText(other.host)
  if (!('name' in other.host)) return false
  return (
    other.host.name.endsWith(`.${hostText(host)}`) || (other.includesSubdomains && other.host.name === hostText(host))
  )
}
