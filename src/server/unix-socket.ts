// Listens on a unix socket that only this user can access.
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { ToolError } from '../errors.ts'

/** Maximum path length: the system silently truncates longer ones and would bind another path. */
const MAX_PATH_BYTES = 103

export interface SocketListener {
  path: string
  close(): void
}

/** Binds to a temporary path and renames it, so that the socket is never visible while accessible to others or not yet served. */
export async function listenOnSocket(file: string, onConnection: (socket: Socket) => void): Promise<SocketListener> {
  const folder = path.dirname(file)
  const temp = path.join(folder, `.${process.pid}.sock`)
  if (Math.max(Buffer.byteLength(file), Buffer.byteLength(temp)) > MAX_PATH_BYTES)
    throw new ToolError('INVALID_PATH', `The socket path ${file} is longer than ${MAX_PATH_BYTES} bytes.`)
  ensurePrivateFolder(folder)
  await removeStaleSocket(file)
  rmSync(temp, { force: true })

  const server = createServer(onConnection)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  const umask = process.umask(0o077)
  server.listen(temp, resolve)
  process.umask(umask)
  await promise
  chmodSync(temp, 0o600)
  renameSync(temp, file)
  return {
    path: file,
    close() {
      rmSync(file, { force: true })
      server.close()
    }
  }
}

function ensurePrivateFolder(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stats = lstatSync(folder)
  if (!stats.isDirectory() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) !== 0)
    throw new ToolError(
      'PERMISSION_DENIED',
      `The folder of the socket, ${folder}, must be accessible only to you. Run: chmod 700 ${folder}`
    )
}

/** Removes a socket without a server; refuses to replace anything else. */
async function removeStaleSocket(file: string) {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) return
  if (!stats.isSocket())
    throw new ToolError('CONFLICT', `${file} already exists and is not a socket. Choose another path for the socket.`)
  if (await isListening(file)) throw new ToolError('CONFLICT', `Another server already listens on the socket ${file}.`)
  rmSync(file, { force: true })
}

function isListening(file: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(file)
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
