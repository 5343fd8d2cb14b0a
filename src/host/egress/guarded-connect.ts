// Egress guard: connects only to public addresses of a host.
//
// Where the environment names a proxy, that connects by name. Names that are resolved here are checked nevertheless; of the others only
// those of the internet are left to the proxy.
//
// Otherwise a name is resolved once, all its addresses are checked, and the connection goes to one of exactly these, so that DNS rebinding
// has no effect. Refusals name the kind of address; the address itself only if that reveals nothing about a network.
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { ToolError } from '../../errors.ts'
import { coversHost, type HostName, type HostPattern, hostText } from '../../text/url/hosts.ts'
import { isPrivateOrLocal, isSameAddress, nonPublicReason, RESERVED_ADDRESS } from './ip-addresses.ts'
import { dialProxy, openTunnel, type ProxyServer, type Scheme, type UpstreamProxy } from './upstream-proxy.ts'

/** Network access as used by the guard. */
export interface EgressNetwork {
  /** Returns all addresses of a name, best first. */
  lookup(name: string): Promise<readonly string[]>
  /** Connects to exactly this address; rejects on a timeout. */
  dial(address: string, port: number): Promise<Socket>
}

export interface EgressPolicy {
  /** Ports on which the server itself listens: they are blocked on every host. */
  ownPorts: readonly number[]
  /** Hosts that may be on this machine or a private network, as configured by the operator. */
  allowedPrivateHosts?: readonly HostPattern[]
  network?: EgressNetwork
  /** The proxy of the machine. */
  proxy?: UpstreamProxy | undefined
}

/** A connection to a host, or to the proxy by which the host is asked. */
export interface Route {
  socket: Socket
  /** The socket leads to this proxy, which takes requests with absolute addresses. */
  proxy?: ProxyServer
}

/** Without a name server for the internet, a lookup may take long to fail. */
const LOOKUP_TIMEOUT_MS = 2_000
/** Endings of names that are not of the internet. */
const LOCAL_NAME =
  /^[^.]+$|(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa|test|example|invalid)$/
const CONNECT_TIMEOUT_MS = 10_000
/** Maximum number of addresses tried. */
const MAX_ADDRESSES_TRIED = 4

/** Connects to a host. Throws URL_BLOCKED if it is not permitted, and NETWORK_ERROR if it cannot be reached. */
export async function connectGuarded(host: HostName, port: number, guarding: EgressPolicy): Promise<Socket> {
  const { network = SYSTEM_NETWORK } = guarding
  const addresses = await resolveAllowedAddresses(host, port, guarding)
  const server = findProxy('https:', host, port, guarding)
  if (server) return openTunnel(server, host, port)
  if (addresses.length === 0) throw noAddressError(hostText(host))
  for (const address of addresses.slice(0, MAX_ADDRESSES_TRIED)) {
    const socket = await network.dial(address, port).catch(() => undefined)
    if (socket) return socket
  }
  throw new ToolError('NETWORK_ERROR', `The host ${hostText(host)} could not be reached on port ${port}.`)
}

/** Connects for one plain HTTP request, as `connectGuarded` does: a proxy is given the request rather than asked for a tunnel. */
export async function routeRequest(host: HostName, port: number, guarding: EgressPolicy): Promise<Route> {
  const server = findProxy('http:', host, port, guarding)
  if (!server) return { socket: await connectGuarded(host, port, { ...guarding, proxy: undefined }) }
  await resolveAllowedAddresses(host, port, guarding)
  return { socket: await dialProxy(server), proxy: server }
}

/** Hosts that the operator names as private ones are reached directly. */
export const findProxy = (
  scheme: Scheme,
  host: HostName,
  port: number,
  { proxy, allowedPrivateHosts = [] }: EgressPolicy
) =>
  allowedPrivateHosts.some(pattern => coversHost(pattern, host, port))
    ? undefined
    : proxy?.serverFor(scheme, host, port)

/** Returns all permitted addresses; none if only a proxy can resolve the name. Throws as `connectGuarded` does. */
export async function resolveAllowedAddresses(
  host: HostName,
  port: number,
  guarding: EgressPolicy
): Promise<readonly string[]> {
  const { ownPorts, allowedPrivateHosts = [], network = SYSTEM_NETWORK } = guarding
  if (ownPorts.includes(port)) throw new ToolError('URL_BLOCKED', 'The port belongs to the Toolgate server.')
  const isProxied = (['http:', 'https:'] as const).some(scheme => findProxy(scheme, host, port, guarding))
  const resolve = isProxied ? resolveIfKnown : resolveName
  const addresses = 'address' in host ? [host.address] : await resolve(host.name, network)
  const isNamed = allowedPrivateHosts.some(pattern => coversHost(pattern, host, port))
  for (const address of addresses) {
    const why = isNamed && isPrivateOrLocal(address) ? undefined : nonPublicReason(address)
    if (why) throw new ToolError('URL_BLOCKED', refusalMessage(host, address, why))
  }
  return addresses
}

function refusalMessage(host: HostName, address: string, why: string) {
  if ('address' in host) return `${host.address} is ${why}.`
  return `${host.name} resolves to ${why === RESERVED_ADDRESS ? `${address}, ${why}` : why}.`
}

async function resolveName(name: string, outside: EgressNetwork): Promise<readonly string[]> {
  const found = await outside.lookup(name).catch(() => [])
  if (found.length === 0) throw noAddressError(name)
  return found
}

const noAddressError = (name: string) => new ToolError('NETWORK_ERROR', `The host ${name} has no address.`)

/** Returns no address of a name of the internet that is not known here. */
async function resolveIfKnown(name: string, outside: EgressNetwork): Promise<readonly string[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly string[]>()
  const timer = setTimeout(resolve, LOOKUP_TIMEOUT_MS, [])
  const found = await Promise.race([outside.lookup(name).catch(() => []), late])
  clearTimeout(timer)
  if (found.length === 0 && LOCAL_NAME.test(name))
    throw new ToolError('URL_BLOCKED', `${name} is not an internet host name, so it is not sent to the proxy.`)
  return found
}

/** The network of this machine. */
export const SYSTEM_NETWORK: EgressNetwork = {
  lookup: async name => (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address),
  async dial(address, port) {
    const socket = connect({ host: address, port, allowHalfOpen: true, autoSelectFamily: false })
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
      if (!isSameAddress(socket.remoteAddress ?? '', address))
        throw new Error('The connection leads to another host than the requested one.')
      return socket
    } catch (error) {
      socket.on('error', () => {}).destroy()
      throw error
    }
  }
}
