// The guard of the way out: whoever wants to reach a host is connected to a public address of it, or not at all.
//
// A name is looked up once, every address it has is judged, and the connection goes to one of exactly these, so that a
// second answer of the resolver is never asked for. Each refusal names the kind of address; the address itself only where
// that tells nothing of who is in a network.
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { ToolError } from '../../errors.ts'
import { coversHost, type HostName, type HostPattern, hostText } from '../../text/url/hosts.ts'
import { isPrivateOrLocal, isSameAddress, nonPublicReason, RESERVED_ADDRESS } from './ip-addresses.ts'

/** The world as the guard sees it. */
export interface EgressNetwork {
  /** Every address of a name, best first. */
  lookup(name: string): Promise<readonly string[]>
  /** A connection to that very address; rejects where it doesn't come about in time. */
  dial(address: string, port: number): Promise<Socket>
}

export interface EgressPolicy {
  /** Ports that the server itself listens on: nothing is reached on these, wherever it is. */
  ownPorts: readonly number[]
  /** Hosts that may be on this machine or a private network: whoever runs the server has named them. */
  allowedPrivateHosts?: readonly HostPattern[]
  network?: EgressNetwork
}

const CONNECT_TIMEOUT_MS = 10_000
/** Of many addresses, so many are tried. */
const MAX_ADDRESSES_TRIED = 4

/** Throws URL_BLOCKED where nothing may be reached there, and NETWORK_ERROR where nothing is. */
export async function connectGuarded(host: HostName, port: number, guarding: EgressPolicy): Promise<Socket> {
  const { network = SYSTEM_NETWORK } = guarding
  for (const address of (await resolveAllowedAddresses(host, port, guarding)).slice(0, MAX_ADDRESSES_TRIED)) {
    const socket = await network.dial(address, port).catch(() => undefined)
    if (socket) return socket
  }
  throw new ToolError('NETWORK_ERROR', `${hostText(host)} could not be reached on port ${port}.`)
}

/** Every address that a connection may go to. Throws as `connectGuarded` does. */
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

/** The network that this machine has. */
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
