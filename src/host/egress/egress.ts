// The network of one sandboxed command: nothing but a proxy of our own with a list of hosts. The proxy listens here on a
// unix socket that is put into the sandbox; in there a bridge makes an ordinary local proxy of it, and the environment
// tells programs about that.
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { HELPER_NODE_FLAGS } from '../processes/node-flags.ts'
import { mountPoint, NODE_MOUNT_POINT } from '../sandbox/bubblewrap/mount-points.ts'
import { createTempFolder } from '../temp-folders.ts'
import { bridge } from './bridge.ts'
import type { EgressReport } from './egress-log.ts'
import type { EgressPolicy } from './guarded-connect.ts'
import { parseHostPattern } from './host-patterns.ts'
import type { ProxyLimits } from './proxy.ts'

interface EgressOptions extends EgressPolicy {
  /** Where the socket is made, in a folder of its own. */
  folder: string
  /** Host patterns; see `parseHostPattern`. */
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
  close(): Promise<EgressReport>
}

const LIMITS: ProxyLimits = { connections: 256, idleTimeoutMs: 120_000, headersTimeoutMs: 30_000 }
/** Where the sandbox has it. */
const SANDBOX_SOCKET = mountPoint('egress.sock')
const PORT = 3128
const HTTP_PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
const NPM_PROXY_VARIABLES = ['npm_config_proxy', 'npm_config_https_proxy']
/** What a sandbox runs for itself is reached directly: it has a loopback of its own. */
const NO_PROXY_HOSTS = 'localhost,127.0.0.1,::1'

/** Throws INVALID_PARAMS for what is no host pattern. The socket is made by way of its open folder: a name of one may have
 * 107 bytes, and the folder may be anywhere. */
export async function openEgress({ folder: within, allow, limits, ...guarding }: EgressOptions): Promise<Egress> {
  // Few commands are granted hosts, and Node's HTTP server takes a good part of a start to load as a module.
  const { EgressProxy } = await import('./proxy.ts')
  const proxy = new EgressProxy({ ...guarding, allow: allow.map(parseHostPattern), limits: { ...LIMITS, ...limits } })
  const { path: folder, remove } = await createTempFolder(within)
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
      { from: process.execPath, to: NODE_MOUNT_POINT },
      { from: socket, to: SANDBOX_SOCKET }
    ],
    env: proxyEnvironment(),
    argv: ({ file, args }) => [
      NODE_MOUNT_POINT,
      ...HELPER_NODE_FLAGS,
      '-e',
      `(${bridge})(require)`,
      '--',
      SANDBOX_SOCKET,
      String(PORT),
      file,
      ...args
    ],
    close: () => proxy.close().finally(left)
  }
}

function proxyEnvironment(): Record<string, string> {
  const url = `http://127.0.0.1:${PORT}`
  return {
    ...Object.fromEntries([...HTTP_PROXY_VARIABLES, ...NPM_PROXY_VARIABLES].map(name => [name, url])),
    NO_PROXY: NO_PROXY_HOSTS,
    no_proxy: NO_PROXY_HOSTS,
    npm_config_noproxy: NO_PROXY_HOSTS,
    // Without it Node's own fetch knows of no proxy.
    NODE_USE_ENV_PROXY: '1'
  }
}
