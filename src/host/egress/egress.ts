// The network of one sandboxed command: nothing but a proxy of our own with a list of hosts. The proxy listens here on a
// unix socket that is put into the sandbox; in there a bridge makes an ordinary local proxy of it, and the environment
// tells programs about that.
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { SMALL_NODE } from '../processes/node-flags.ts'
import { inside, NODE_INSIDE } from '../sandbox/bubblewrap/mount-points.ts'
import { temporaryFolder } from '../temp-folders.ts'
import { bridge } from './bridge.ts'
import type { Attempts } from './egress-log.ts'
import type { Guarding } from './guarded-connect.ts'
import { hostPattern } from './host-patterns.ts'
import type { ProxyLimits } from './proxy.ts'

interface EgressOptions extends Guarding {
  /** Where the socket is made, in a folder of its own. */
  folder: string
  /** Host patterns; see `hostPattern`. */
  allow: readonly string[]
  limits?: Partial<ProxyLimits>
}

export interface Egress {
  /** The proxy's unix socket, outside. */
  socket: string
  /** What must be readable inside: `from` here, `to` there. Nobody may change these. */
  mounts: readonly { from: string; to: string }[]
  /** Variables that tell programs of the proxy; they go over those that the command has. */
  env: Readonly<Record<string, string>>
  /** The program as it is to be started inside, its bridge around it; first the file, then its arguments. */
  argv(program: { file: string; args: readonly string[] }): [file: string, ...args: string[]]
  /** Once the command has ended: breaks what is still open, and tells what was tried. */
  close(): Promise<Attempts>
}

const LIMITS: ProxyLimits = { connections: 256, idle_ms: 120_000, headers_ms: 30_000 }
/** Where the sandbox has it. */
const SOCKET_INSIDE = inside('egress.sock')
const PORT = 3128
const FOR_HTTP = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
const FOR_NPM = ['npm_config_proxy', 'npm_config_https_proxy']
/** What a sandbox runs for itself is reached directly: it has a loopback of its own. */
const DIRECT = 'localhost,127.0.0.1,::1'

/** Throws INVALID_PARAMS for what is no host pattern. The socket is made by way of its open folder: a name of one may have
 * 107 bytes, and the folder may be anywhere. */
export async function openEgress({ folder: within, allow, limits, ...guarding }: EgressOptions): Promise<Egress> {
  // Few commands are granted hosts, and Node's HTTP server takes a good part of a start to load as a module.
  const { EgressProxy } = await import('./proxy.ts')
  const proxy = new EgressProxy({ ...guarding, allow: allow.map(hostPattern), limits: { ...LIMITS, ...limits } })
  const { path: folder, remove } = await temporaryFolder(within)
  const socket = join(folder, 'socket')
  const door = await open(folder, 'r')
  const left = () => door.close().finally(remove)
  try {
    await proxy.listen(process.platform === 'linux' ? `/proc/self/fd/${door.fd}/socket` : socket)
  } catch (error) {
    await left()
    throw error
  }
  return {
    socket,
    mounts: [
      { from: process.execPath, to: NODE_INSIDE },
      { from: socket, to: SOCKET_INSIDE }
    ],
    env: environment(),
    argv: ({ file, args }) => [
      NODE_INSIDE,
      ...SMALL_NODE,
      '-e',
      `(${bridge})(require)`,
      '--',
      SOCKET_INSIDE,
      String(PORT),
      file,
      ...args
    ],
    close: () => proxy.close().finally(left)
  }
}

function environment(): Record<string, string> {
  const url = `http://127.0.0.1:${PORT}`
  return {
    ...Object.fromEntries([...FOR_HTTP, ...FOR_NPM].map(name => [name, url])),
    NO_PROXY: DIRECT,
    no_proxy: DIRECT,
    npm_config_noproxy: DIRECT,
    // Without it Node's own fetch knows of no proxy.
    NODE_USE_ENV_PROXY: '1'
  }
}
