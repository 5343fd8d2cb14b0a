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
import { isNear, RESERVED, sameAddress, whyNotPublic } from './ip-addresses.ts'

/** The world as the guard sees it. */
export interface Outside {
  /** Every address of a name, best first. */
  lookup(name: string): Promise<readonly string[]>
  /** A connection to that very address; rejects where it doesn't come about in time. */
  dial(address: string, port: number): Promise<Socket>
}

export interface Guarding {
  /** Ports that the server itself listens on: nothing is reached on these, wherever it is. */
  own_ports: readonly number[]
  /** Hosts that may be on this machine or a private network: whoever runs the server has named them. */
  local?: readonly HostPattern[]
  outside?: Outside
}

const CONNECT_MS = 10_000
/** Of many addresses, so many are tried. */
const MOST_TRIED = 4

/** Throws URL_BLOCKED where nothing may be reached there, and NETWORK_ERROR where nothing is. */
export async function connectOut(host: HostName, port: number, guarding: Guarding): Promise<Socket> {
  const { outside = THE_NETWORK } = guarding
  for (const address of (await judgedAddresses(host, port, guarding)).slice(0, MOST_TRIED)) {
    const socket = await outside.dial(address, port).catch(() => undefined)
    if (socket) return socket
  }
  throw new ToolError('NETWORK_ERROR', `${hostText(host)} could not be reached on port ${port}.`)
}

/** Every address that a connection may go to. Throws as `connectOut` does. */
export async function judgedAddresses(host: HostName, port: number, guarding: Guarding): Promise<readonly string[]> {
  const { own_ports, local = [], outside = THE_NETWORK } = guarding
  if (own_ports.includes(port)) throw new ToolError('URL_BLOCKED', 'This port is our own.')
  const addresses = 'address' in host ? [host.address] : await addressesOf(host.name, outside)
  const isNamed = local.some(pattern => coversHost(pattern, host, port))
  for (const address of addresses) {
    const why = isNamed && isNear(address) ? undefined : whyNotPublic(address)
    if (why) throw new ToolError('URL_BLOCKED', refusal(host, address, why))
  }
  return addresses
}

function refusal(host: HostName, address: string, why: string) {
  if ('address' in host) return `${host.address} is ${why}.`
  return `${host.name} leads to ${why === RESERVED ? `${address}, ${why}` : why}.`
}

async function addressesOf(name: string, outside: Outside): Promise<readonly string[]> {
  const found = await outside.lookup(name).catch(() => [])
  if (found.length === 0) throw new ToolError('NETWORK_ERROR', `There is no address for ${name}.`)
  return found
}

/** The network that this machine has. */
export const THE_NETWORK: Outside = {
  lookup: async name => (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address),
  async dial(address, port) {
    const socket = connect({ host: address, port, allowHalfOpen: true, autoSelectFamily: false })
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) })
      if (!sameAddress(socket.remoteAddress ?? '', address)) throw new Error('The connection leads elsewhere.')
      return socket
    } catch (error) {
      socket.on('error', () => {}).destroy()
      throw error
    }
  }
}
