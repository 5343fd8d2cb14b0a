// Discovery of a project's server, in Node: by the environment, else by discovery files.
import { hostname } from 'node:os'
import path from 'node:path'
import type { Health } from '../client/api-types.ts'
import type { ServerConnection } from '../client/http-transport.ts'
import { isProcessRunning } from '../host/processes/pids.ts'
import { type DiscoveryFile, type DiscoveryRecord, readDiscoveries, removeStale } from '../server/discovery.ts'
import { isProven, requestProof } from '../server/token-proof.ts'
import { readToken } from '../server/tokens.ts'
import { realFolder } from '../server/xdg.ts'
import { getJson } from './get-json.ts'

export interface DiscoveredServer extends ServerConnection {
  /** The discovery file's record; undefined if the environment named the server. */
  record?: DiscoveryRecord
}

export interface DiscoverOptions {
  env: Readonly<Record<string, string | undefined>>
  /** A folder of the project. */
  project: string
  /** Only the server at this address. */
  url?: string | undefined
  /** Timeout for the response of a server whose process is running, in milliseconds. Default: 15,000. */
  timeout_ms?: number
}

/** Discovers the server for the project: the one with the innermost root that contains it, the newest of several. */
export async function discover({
  env,
  project,
  url,
  timeout_ms
}: DiscoverOptions): Promise<DiscoveredServer | undefined> {
  const named = url ?? env.TOOLGATE_URL
  if (named !== undefined) return discoverAtUrl(named, env)
  for (const found of findCandidates(readDiscoveries(env), project)) {
    if (await isLive(found, timeout_ms))
      return { url: found.record.url, token: found.record.token, record: found.record }
  }
  return undefined
}

/** Finds all live servers on this machine. */
export async function findLiveServers(env: DiscoverOptions['env']): Promise<DiscoveryFile[]> {
  const here = readDiscoveries(env).filter(({ record }) => record.host === hostname())
  const live = await Promise.all(here.map(found => isLive(found)))
  return here.filter((_, index) => live[index])
}

/**
 * Returns true if the server of the discovery file answers `GET /health` as that instance, and proves to know its token. Sends no
 * token. Removes the file if
 * the process is gone. A server on a busy machine may take seconds, so one with a running process gets `timeout_ms`.
 */
export async function isLive(found: DiscoveryFile, timeout_ms = BUSY_TIMEOUT_MS): Promise<boolean> {
  const ms = isProcessRunning(found.record.pid) ? timeout_ms : GONE_TIMEOUT_MS
  try {
    const { url, token, instance } = found.record
    const request = requestProof(token)
    const health = (await getJson({ url }, `/health?${new URLSearchParams({ ...request })}`, ms)) as Partial<Health>
    return health.instance === instance && isProven(health.proof, token, new URL(url).host, request)
  } catch {
    removeStale(found)
    return false
  }
}

const BUSY_TIMEOUT_MS = 15_000
/** Timeout in milliseconds if the process seems gone: process ids of another container mean nothing here. */
const GONE_TIMEOUT_MS = 2_000

async function discoverAtUrl(url: string, env: DiscoverOptions['env']): Promise<DiscoveredServer | undefined> {
  const plain = url.replace(/\/+$/, '')
  if (env.TOOLGATE_TOKEN_FILE) return { url: plain, token: readToken(env.TOOLGATE_TOKEN_FILE) }
  const found = readDiscoveries(env).find(({ record }) => record.url === plain)
  return found && { url: plain, token: found.record.token, record: found.record }
}

function findCandidates(all: readonly DiscoveryFile[], project: string): DiscoveryFile[] {
  const real = realFolder(project) ?? path.resolve(project)
  const closeness = ({ record }: DiscoveryFile) =>
    Math.max(-1, ...record.roots.filter(root => containsPath(root, real)).map(root => root.length))
  return all
    .filter(found => found.record.host === hostname() && closeness(found) >= 0)
    .sort((a, b) => closeness(b) - closeness(a))
}

const containsPath = (root: string, folder: string) => {
  const relative = path.relative(root, folder)
  return relative === '' || !/^\.\.(?:$|[\\/])/.test(relative)
}
