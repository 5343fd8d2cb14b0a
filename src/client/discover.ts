// Finding the server of a project, in Node: by the environment, else by the files that servers leave.
import { hostname } from 'node:os'
import path from 'node:path'
import { isRunning } from '../host/processes/pids.ts'
import { type Discovery, type Found, readDiscoveries, removeStale } from '../server/discovery.ts'
import { readToken } from '../server/tokens.ts'
import { realFolder } from '../server/xdg.ts'
import type { Health } from './api-types.ts'
import { quickly } from './get-json.ts'
import type { Connection } from './http-transport.ts'

export interface Discovered extends Connection {
  /** What its file says; none when the environment named the server. */
  record?: Discovery
}

export interface Search {
  env: Readonly<Record<string, string | undefined>>
  /** A folder of the project. */
  project: string
  /** Only the server at this address. */
  url?: string | undefined
  /** How long a server whose process runs may take to answer, in milliseconds. Default: 15,000. */
  timeout_ms?: number
}

/** The server for the project: the one whose root holds it most closely, the newest of several. */
export async function discover({ env, project, url, timeout_ms }: Search): Promise<Discovered | undefined> {
  const named = url ?? env.TOOLGATE_URL
  if (named !== undefined) return atUrl(named, env)
  for (const found of candidates(readDiscoveries(env), project)) {
    if (await isLive(found, timeout_ms))
      return { url: found.record.url, token: found.record.token, record: found.record }
  }
  return undefined
}

/** Every server of this machine that answers. */
export async function liveServers(env: Search['env']): Promise<Found[]> {
  const here = readDiscoveries(env).filter(({ record }) => record.host === hostname())
  const live = await Promise.all(here.map(found => isLive(found)))
  return here.filter((_, index) => live[index])
}

/**
 * Whether the server of the discovery file answers `GET /health` as that instance. No token is sent before. Removes the file if the
 * process is gone. A server on a busy machine may take seconds, so one whose process runs has `timeout_ms`.
 */
export async function isLive(found: Found, timeout_ms = BUSY_TIMEOUT_MS): Promise<boolean> {
  const ms = isRunning(found.record.pid) ? timeout_ms : GONE_TIMEOUT_MS
  try {
    const health = (await quickly({ url: found.record.url }, '/health', ms)) as Partial<Health>
    return health.instance === found.record.instance
  } catch {
    removeStale(found)
    return false
  }
}

const BUSY_TIMEOUT_MS = 15_000
/** Process ids of another container mean nothing here. */
const GONE_TIMEOUT_MS = 2_000

async function atUrl(url: string, env: Search['env']): Promise<Discovered | undefined> {
  const plain = url.replace(/\/+$/, '')
  if (env.TOOLGATE_TOKEN_FILE) return { url: plain, token: readToken(env.TOOLGATE_TOKEN_FILE) }
  const found = readDiscoveries(env).find(({ record }) => record.url === plain)
  return found && { url: plain, token: found.record.token, record: found.record }
}

function candidates(all: readonly Found[], project: string): Found[] {
  const real = realFolder(project) ?? path.resolve(project)
  const closeness = ({ record }: Found) =>
    Math.max(-1, ...record.roots.filter(root => holds(root, real)).map(root => root.length))
  return all
    .filter(found => found.record.host === hostname() && closeness(found) >= 0)
    .sort((a, b) => closeness(b) - closeness(a))
}

const holds = (root: string, folder: string) => {
  const relative = path.relative(root, folder)
  return relative === '' || !/^\.\.(?:$|[\\/])/.test(relative)
}
