// What kind of address an IP address is. Only those that anybody on the internet may reach are let through; every other
// one is refused by the name of its kind.
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Where clouds tell a machine its own credentials. Some of these lie in ranges that look public. */
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
/** Nobody's on the internet, so whoever answers there has been put there. */
export const RESERVED_ADDRESS = 'a reserved address'
const TRANSLATED_ADDRESS = 'an address that stands for another one'

/** The one block from which IPv6 addresses of the internet are given out. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** What a network without IPv4 puts before the IPv4 addresses of the internet. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
/** Deprecated or local ways to put an IPv4 address into an IPv6 one; nothing of the internet is named so. */
const TRANSLATION_RANGES: ReadonlySet<string> = new Set(['rfc6145', 'rfc6052', '6to4', 'teredo'])
const IPV4_COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96')

/** Why the address is not to be reached; undefined for a public one. `address` is as a resolver or a socket tells it. */
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

/** Whether it is of this machine or of a private network, where somebody may have put a service on purpose. */
export const isPrivateOrLocal = (address: string): boolean => PRIVATE_REASONS.has(nonPublicReason(address) ?? '')

/** Whether two texts name the same address. */
export function isSameAddress(a: string, b: string): boolean {
  const [one, other] = [parseAddress(a), parseAddress(b)]
  return one !== undefined && other !== undefined && canonical(one) === canonical(other)
}

/** Four decimal numbers, or IPv6 without a zone; nothing that only some programs take for an address. */
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

/** A service that listens on all addresses answers on these too. Asked each time: they come and go. */
function isOwnAddress(address: Address): boolean {
  const wanted = address.toNormalizedString()
  return Object.values(networkInterfaces()).some(all => all?.some(own => interfaceAddress(own.address) === wanted))
}

function interfaceAddress(address: string) {
  const parsed = parseAddress(address.replace(/%.*$/, ''))
  return parsed && canonical(parsed)
}
