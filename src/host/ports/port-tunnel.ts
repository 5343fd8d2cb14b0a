// Server end of forwarded ports of one sandboxed command: a unix socket in a private folder, mounted in the sandbox, on which the
// relay inside offers connections. Only the server names the ports that they lead to.
import { open } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { ToolError } from '../../errors.ts'
import { HELPER_NODE_FLAGS } from '../processes/node-flags.ts'
import { mountPoint, NODE_MOUNT_POINT } from '../sandbox/bubblewrap/mount-points.ts'
import { runInside } from '../sandbox/run-inside.ts'
import type { Mount, PortConnector } from '../sandbox/sandbox.ts'
import { createTempFolder } from '../temp-folders.ts'
import { nothingListens } from './port-errors.ts'
import { relay } from './relay.ts'

interface PortTunnel {
  /** Read-only mounts. */
  mounts: readonly Mount[]
  /** Wraps the program with its relay: first the file, then its arguments. */
  argv(program: { file: string; args: readonly string[] }): [file: string, ...args: string[]]
  connect: PortConnector
  /** Closes all connections. Call once the command has ended. */
  close(): Promise<void>
}

/** Path inside the sandbox. */
const SANDBOX_SOCKET = mountPoint('ports.sock')
/** Maximum number of open connections of one command, and of those that wait for use. */
const MAX_CONNECTIONS = 256
const MAX_OFFERED = 16
/** The relay may have to start first. */
const CONNECT_TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 64

/** Opens the tunnel. The socket is created through its open folder: its path is limited to 107 bytes, and the folder may be anywhere. */
export async function openPortTunnel(within: string, ports: readonly number[]): Promise<PortTunnel> {
  const { path: folder, remove } = await createTempFolder(within)
  const handle = await open(folder, 'r')
  const offers = new Offers()
  const server = createServer({ allowHalfOpen: true }, socket => offers.add(socket))
  const close = async () => {
    offers.close()
    await new Promise(resolve => server.close(resolve))
    await handle.close().finally(remove)
  }
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(`/proc/self/fd/${handle.fd}/socket`, resolve)
    })
  } catch (error) {
    await handle.close().finally(remove)
    throw error
  }
  return {
    mounts: [
      { from: process.execPath, to: NODE_MOUNT_POINT },
      { from: join(folder, 'socket'), to: SANDBOX_SOCKET }
    ],
    argv: ({ file, args }) => [
      NODE_MOUNT_POINT,
      ...HELPER_NODE_FLAGS,
      '-e',
      `(${relay})(require, ${runInside})`,
      '--',
      SANDBOX_SOCKET,
      ports.join(),
      file,
      ...args
    ],
    connect: async port => {
      const socket = await offers.take()
      const answer = readAnswer(socket)
      socket.write(`${port}\n`)
      if ((await answer) === 'OK') return socket
      socket.destroy()
      throw nothingListens(port)
    },
    close
  }
}

/** The connections that the relay has opened: those that wait for use, and those in use. */
class Offers {
  readonly #open = new Set<Socket>()
  #offered: Socket[] = []
  #waiting: Pick<PromiseWithResolvers<Socket>, 'resolve' | 'reject'>[] = []
  #closed = false

  add(socket: Socket) {
    socket.on('error', () => {})
    if (this.#closed || this.#offered.length >= MAX_OFFERED || this.#open.size >= MAX_CONNECTIONS + MAX_OFFERED)
      return void socket.destroy()
    this.#open.add(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#offered = this.#offered.filter(offered => offered !== socket)
    })
    const next = this.#waiting.shift()
    if (next) next.resolve(socket)
    else this.#offered.push(socket)
  }

  async take(): Promise<Socket> {
    if (this.#open.size - this.#offered.length >= MAX_CONNECTIONS)
      throw new ToolError(
        'OVERLOADED',
        `The command already has ${MAX_CONNECTIONS} open connections, which is the maximum.`
      )
    const offered = this.#offered.shift()
    if (offered) return offered
    if (this.#closed) throw noAnswer()
    const { promise, ...waiting } = Promise.withResolvers<Socket>()
    this.#waiting.push(waiting)
    const expired = setTimeout(() => {
      this.#waiting = this.#waiting.filter(other => other !== waiting)
      waiting.reject(noAnswer())
    }, CONNECT_TIMEOUT_MS)
    return promise.finally(() => clearTimeout(expired))
  }

  close() {
    this.#closed = true
    for (const socket of this.#open) socket.destroy()
    for (const waiting of this.#waiting.splice(0)) waiting.reject(noAnswer())
  }
}

const noAnswer = () => new ToolError('NETWORK_ERROR', 'The sandbox of the command does not answer.')

/** Reads the first line. Resolves with an empty one if the relay does not answer, so that nothing else is read from it. */
function readAnswer(socket: Socket): Promise<string> {
  return new Promise(resolve => {
    let text = ''
    const finish = (answer: string) => {
      clearTimeout(expired)
      socket.off('data', take).off('close', fail).off('end', fail)
      socket.pause()
      resolve(answer)
    }
    const fail = () => finish('')
    const take = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\n')
      if (end < 0 && text.length < MAX_ANSWER_BYTES) return
      if (end >= 0 && end + 1 < text.length) socket.unshift(Buffer.from(text.slice(end + 1), 'latin1'))
      finish(end < 0 ? '' : text.slice(0, end))
    }
    const expired = setTimeout(fail, CONNECT_TIMEOUT_MS)
    socket.on('data', take).on('close', fail).on('end', fail)
  })
}
