// Network of one sandboxed command: only a proxy with a host allowlist. The proxy listens on a unix socket that is mounted in the
// sandbox; a bridge inside exposes it as an ordinary local proxy, which the environment announces to programs.
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { HELPER_NODE_FLAGS } from '../processes/node-flags.ts'
import { mountPoint, NODE_MOUNT_POINT } from '../sandbox/bubblewrap/mount-points.ts'
import { runInside } from '../sandbox/run-inside.ts'
import { createTempFolder } from '../temp-folders.ts'
import { bridge } from './bridge.ts'
import type { EgressReport } from './egress-log.ts'
import type { EgressPolicy } from './guarded-connect.ts'
import { parseHostPattern } from './host-patterns.ts'
import type { ProxyLimits } from './proxy.ts'

interface EgressOptions extends EgressPolicy {
  /** Folder in which the socket's own folder is created. */
  folder: string
  /** Host patterns; see `parseHostPattern`. */
  allow: readonly string[]
  limits?: Partial<ProxyLimits>
}

export interface Egress {
  /** The proxy's unix socket, outside. */
  socket: string
  /** Read-only mounts: `from` outside, `to` inside. */
  mounts: readonly { from: string; to: string }[]
  /** Variables that configure the proxy for programs; they override those of the command. */
  env: Readonly<Record<string, string>>
  /** Wraps the program with its bridge: first the file, then its arguments. */
  argv(program: { file: string; args: readonly string[] }): [file: string, ...args: string[]]
  /** Call once the command has ended: closes all connections, and reports the attempts. */
  close(): Promise<EgressReport>
}

const LIMITS: ProxyLimits = { connections: 256, idleTimeoutMs: 120_000, headersTimeoutMs: 30_000 }
/** Path inside the sandbox. */
const SANDBOX_SOCKET = mountPoint('egress.sock')
const PORT = 3128
const HTTP_PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
const NPM_PROXY_VARIABLES = ['npm_config_proxy', 'npm_config_https_proxy']
/** A sandbox reaches its own services directly: it has its own loopback. */
const NO_PROXY_HOSTS = 'localhost,127.0.0.1,::1'

/**
 * Throws INVALID_PARAMS for an invalid host pattern. The socket is created through its open folder: a socket path is limited to
 * 107 bytes, and the folder may be anywhere.
 */
export async function openEgress({ folder: within, allow, limits, ...guarding }: EgressOptions): Promise<Egress> {
  // Loaded on demand: few commands are granted hosts, and Node's HTTP server is a considerable part of the startup.
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
      `(${bridge})(require, ${runInside})`,
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
    // Without it Node's own fetch ignores proxies.
    NODE_USE_ENV_PROXY: '1'
  }
}
