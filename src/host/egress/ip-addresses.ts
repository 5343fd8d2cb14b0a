// Classifies IP addresses. Only public ones are permitted; all others are refused with their kind.
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Cloud metadata services, which return a machine's credentials. Some of these are in ranges that look public. */
const METADATA_ADDRESSES = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  'fd00:ec2:0:0:0:0:0:254'
])

const RANGE_NAMES: Readonly<Record<string, string>> = {
  unspecified: 'the unspecified address',
  loopback: 'a loopback address',
  private: 'a private address',
  uniqueLocal: 'a private address',
  deprecatedSiteLocal: 'a private address',
  carrierGradeNat: 'a private address',
  linkLocal: 'a link-local address',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address'
}
/** Not assigned on the internet, so any service there was set up locally. */
export const RESERVED_ADDRESS = 'a reserved address'
const TRANSLATED_ADDRESS = 'a translated address'

/** The only block from which public IPv6 addresses are assigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** NAT64 prefix for public IPv4 addresses in a network without IPv4. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
/** Deprecated or local embeddings of IPv4 in IPv6 addresses; no public host is named by them. */
const TRANSLATION_RANGES: ReadonlySet<string> = new Set(['rfc6145', 'rfc6052', '6to4', 'teredo'])
const IPV4_COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96')

/**
 * Returns the reason why an address is not public; undefined for a public one. `address` is as returned by a resolver or a
 * socket.
 */
export function nonPublicReason(address: string): string | undefined {
  const parsed = parseAddress(address)
  if (!parsed) return 'not an address'
  const plain = unwrapIPv4(parsed)
  if (METADATA_ADDRESSES.has(plain.toNormalizedString())) return 'a cloud metadata address'
  const range: string = plain.range()
  const kind = RANGE_NAMES[range]
  if (kind) return kind
  if (plain instanceof ipaddr.IPv6) {
    if (TRANSLATION_RANGES.has(range) || plain.match(IPV4_COMPATIBLE)) return TRANSLATED_ADDRESS
    if (!plain.match(GLOBAL_UNICAST)) return RESERVED_ADDRESS
  }
  if (range !== 'unicast') return RESERVED_ADDRESS
  return isOwnAddress(plain) ? 'an address of this machine' : undefined
}

const PRIVATE_REASONS: ReadonlySet<string> = new Set([
  'a loopback address',
  'a private address',
  'an address of this machine'
])

/** Checks if the address is of this machine or of a private network, where a service may be intended. */
export const isPrivateOrLocal = (address: string): boolean => PRIVATE_REASONS.has(nonPublicReason(address) ?? '')

/** Checks if two texts denote the same address. */
export function isSameAddress(a: string, b: string): boolean {
  const [one, other] = [parseAddress(a), parseAddress(b)]
  return one !== undefined && other !== undefined && canonical(one) === canonical(other)
}

/** Parses four decimal numbers, or IPv6 without a zone; no forms that only some programs accept. */
function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  if (!ipaddr.IPv6.isValid(text)) return undefined
  const address = ipaddr.IPv6.parse(text)
  return address.zoneId === undefined ? address : undefined
}

function unwrapIPv4(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  return address.match(NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

const canonical = (address: Address) => unwrapIPv4(address).toNormalizedString()

/** A service that listens on all addresses answers on these too. Not cached: they change. */
function isOwnAddress(address: Address): boolean {
  const wanted = address.toNormalizedString()
  return Object.values(networkInterfaces()).some(all => all?.some(own => interfaceAddress(own.address) === wanted))
}

function interfaceAddress(address: string) {
  const parsed = parseAddress(address.replace(/%.*$/, ''))
  return parsed && canonical(parsed)
}
