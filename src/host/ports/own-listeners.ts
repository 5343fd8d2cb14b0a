// Connections to ports of a command that has the network of the server. Any program may listen on a port there, so a connection is
// opened only to a listener that a process of the command holds: a request must not end at another program by mistake.
import { readdir, readFile, readlink } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import type { PortConnector } from '../sandbox/sandbox.ts'
import { foreignListener, nothingListens } from './port-errors.ts'

/** Identifies the processes of a command: those of its session, and those whose environment has the mark. */
interface CommandIdentity {
  pid: number
  /** NAME=value */
  mark: string
}

interface Listener {
  inode: string
  address: string
}

/** Addresses in the notation of /proc/net, by the target that they receive connections to. */
const TARGETS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['127.0.0.1', new Set(['0100007F', '00000000', '0000000000000000FFFF00000100007F', '0'.repeat(32)])],
  ['::1', new Set([`${'0'.repeat(24)}01000000`, '0'.repeat(32)])]
])
const LISTENING = '0A'

/** Returns true where listeners and their processes can be found. */
export const canFindListeners = (): boolean => process.platform === 'linux'

export function connectToOwnListeners(command: CommandIdentity): PortConnector {
  /** Sockets of listeners that are known to be held by the command. */
  const own = new Set<string>()

  return async port => {
    const listeners = await findListeners(port)
    if (listeners.length === 0) throw nothingListens(port)
    for (const [target, addresses] of TARGETS) {
      const receiving = listeners.filter(({ address }) => addresses.has(address))
      if (receiving.length > 0 && (await areOwn(receiving))) return open(target, port)
    }
    throw foreignListener(port)
  }

  async function areOwn(listeners: readonly Listener[]): Promise<boolean> {
    if (listeners.some(({ inode }) => !own.has(inode))) for (const inode of await findSocketsOf(command)) own.add(inode)
    return listeners.every(({ inode }) => own.has(inode))
  }
}

async function findListeners(port: number): Promise<Listener[]> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const tables = await Promise.all(['tcp', 'tcp6'].map(name => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')))
  return tables.flatMap(table =>
    table.split('\n').flatMap(line => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
      return state === LISTENING && local.endsWith(suffix) ? [{ inode, address: local.slice(0, -suffix.length) }] : []
    })
  )
}

/** Returns the inodes of all sockets that processes of the command hold. */
async function findSocketsOf(command: CommandIdentity): Promise<string[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async pid => ((await isOfCommand(pid, command)) ? listSockets(`/proc/${pid}/fd`) : []))
  )
  return found.flat()
}

async function isOfCommand(pid: string, { pid: leader, mark }: CommandIdentity): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (session === String(leader)) return true
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  return environment.split('\0').includes(mark)
}

async function listSockets(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const links = await Promise.all(names.map(name => readlink(`${folder}/${name}`).catch(() => '')))
  return links.flatMap(link => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [])
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true })
    const onError = () => reject(nothingListens(port))
    socket.once('error', onError)
    socket.once('connect', () => {
      socket.off('error', onError)
      socket.on('error', () => {})
      resolve(socket)
    })
  })
}
