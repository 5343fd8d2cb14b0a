// Egress guard: connects only to public addresses of a host.
//
// A name is resolved once, all its addresses are checked, and the connection goes to one of exactly these, so that DNS rebinding
// has no effect. Refusals name the kind of address; the address itself only if that reveals nothing about a network.
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { ToolError } from '../../errors.ts'
import { coversHost, type HostName, type HostPattern, hostText } from '../../text/url/hosts.ts'
import { isPrivateOrLocal, isSameAddress, nonPublicReason, RESERVED_ADDRESS } from './ip-addresses.ts'

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
}

const CONNECT_TIMEOUT_MS = 10_000
/** Maximum number of addresses tried. */
const MAX_ADDRESSES_TRIED = 4

/** Connects to a host. Throws URL_BLOCKED if it is not permitted, and NETWORK_ERROR if it cannot be reached. */
export async function connectGuarded(host: HostName, port: number, guarding: EgressPolicy): Promise<Socket> {
  const { network = SYSTEM_NETWORK } = guarding
  for (const address of (await resolveAllowedAddresses(host, port, guarding)).slice(0, MAX_ADDRESSES_TRIED)) {
    const socket = await network.dial(address, port).catch(() => undefined)
    if (socket) return socket
  }
  throw new ToolError('NETWORK_ERROR', `${hostText(host)} could not be reached on port ${port}.`)
}

/** Returns all permitted addresses. Throws as `connectGuarded` does. */
export async function resolveAllowedAddresses(
  host: HostName,
  port: number,
  guarding: EgressPolicy
): Promise<readonly string[]> {
  const { ownPorts, allowedPrivateHosts = [], network = SYSTEM_NETWORK } = guarding
  if (ownPorts.includes(port)) throw new ToolError('URL_BLOCKED', 'This port is our own.')
  const addresses = 'address' in host ? [host.address] : await resolveName(host.name, network)
  const isNamed = allowedPrivateHosts.some(pattern => coversHost(pattern, host, port))
  for (const address of addresses) {
    const why = isNamed && isPrivateOrLocal(address) ? undefined : nonPublicReason(address)
    if (why) throw new ToolError('URL_BLOCKED', refusalMessage(host, address, why))
  }
  return addresses
}

function refusalMessage(host: HostName, address: string, why: string) {
  if ('address' in host) return `${host.address} is ${why}.`
  return `${host.name} leads to ${why === RESERVED_ADDRESS ? `${address}, ${why}` : why}.`
}

async function resolveName(name: string, outside: EgressNetwork): Promise<readonly string[]> {
  const found = await outside.lookup(name).catch(() => [])
  if (found.length === 0) throw new ToolError('NETWORK_ERROR', `There is no address for ${name}.`)
  return found
}

/** The network of this machine. */
export const SYSTEM_NETWORK: EgressNetwork = {
  lookup: async name => (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address),
  async dial(address, port) {
    const socket = connect({ host: address, port, allowHalfOpen: true, autoSelectFamily: false })
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
      if (!isSameAddress(socket.remoteAddress ?? '', address)) throw new Error('The connection leads elsewhere.')
      return socket
    } catch (error) {
      socket.on('error', () => {}).destroy()
      throw error
    }
  }
}
