// A fake network: names are resolved in a table, and every address leads to servers on this machine. The guard works as usual: it
// checks the addresses in the table.
import { type AddressInfo, connect, type Server } from 'node:net'
import type { Test } from 'tap'
import type { EgressNetwork } from '../../../src/host/egress/guarded-connect.ts'
import { once } from '../../support/wait.ts'

export const PUBLIC_IPV4 = '93.184.215.14'
export const PUBLIC_IPV6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'

export interface FakeNetwork extends EgressNetwork {
  /** Names, in the order of lookups. */
  looked_up: string[]
  /** `address port`, in the order of connections. */
  dialled: string[]
}

/**
 * `dns` has the answers for a name, one for each lookup, of which the last repeats; every other name is `PUBLIC_IPV4`. Every
 * connection leads to this server.
 */
export function createFakeNetwork(
  server: Server | undefined,
  dns: Readonly<Record<string, string[][]>> = {}
): FakeNetwork {
  const looked_up: string[] = []
  const dialled: string[] = []
  return {
    looked_up,
    dialled,
    lookup: async name => {
      looked_up.push(name)
      const answers = dns[name] ?? [[PUBLIC_IPV4]]
      return answers[Math.min(looked_up.filter(one => one === name).length, answers.length) - 1] ?? []
    },
    dial: async (address, port) => {
      dialled.push(`${address} ${port}`)
      if (!server) throw new Error('nobody listens')
      const socket = connect({ host: '127.0.0.1', port: getPort(server), allowHalfOpen: true })
      await once(socket, 'connect')
      return socket
    }
  }
}

export async function listen<S extends Server>(t: Test, server: S): Promise<S> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function')
      server.closeAllConnections()
    server.close()
  })
  return server
}

export const getPort = (server: Server) => (server.address() as AddressInfo).port
