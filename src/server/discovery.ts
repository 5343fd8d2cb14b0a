// Discovery files, by which clients find where a running server listens: its URL, socket and tokens in one small file each, in a
// folder private to the user. Unlike a socket, a file in a fixed place survives the loss of XDG_RUNTIME_DIR or the environment,
// and a changed working folder.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { isProcessRunning } from '../host/processes/pids.ts'
import { isPrivate, writePrivateFile } from './private-files.ts'
import { homeFolder, statesFolder, xdgFolder } from './xdg.ts'

/** The contents of a discovery file. */
export interface DiscoveryRecord {
  schema: 1
  /** Id of this run of the server, also returned by /health. */
  instance: string
  pid: number
  /** The machine's name, since the folder may be shared between several. */
  host: string
  url: string
  socket: string | null
  /** May call and decide. */
  token: string
  /** May only call: the one to give to an agent. */
  call_token: string
  /** Real paths of the served folders. */
  roots: string[]
  version: string
  protocol: 1
  started_at: string
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * Returns the folders of discovery files. A relocated folder has a copy in the default place, for programs started without the
 * variable.
 */
export function runFolders(env: Env): [string, ...string[]] {
  const usual = path.join(homeFolder(env), '.local/state/toolgate/run')
  const moved = env.TOOLGATE_RUN_DIR || path.join(xdgFolder(env, 'XDG_STATE_HOME', '.local/state'), 'toolgate/run')
  const main = path.resolve(moved)
  return main === usual ? [main] : [main, usual]
}

/** Returns all folders in which servers of this user keep state or discovery files, as far as the environment determines them. */
export function serverFolders(env: Env): string[] {
  const shared = [xdgFolder(env, 'XDG_STATE_HOME', '.local/state'), path.join(homeFolder(env), '.local/state')]
  return [...new Set([...shared.map(folder => path.join(folder, 'toolgate')), statesFolder(env), ...runFolders(env)])]
}

interface PublishedRecord {
  file: string
  remove(): void
}

/** Interval in milliseconds at which a deleted file is restored. */
const REWRITE_INTERVAL_MS = 5_000

/** Writes the file and keeps it up to date: `record` is called repeatedly, since tokens may change. */
export function publishDiscovery(env: Env, record: () => DiscoveryRecord): PublishedRecord {
  const [main, ...copies] = runFolders(env)
  const name = `${record().instance}.json`
  const files = [main, ...copies].map(folder => path.join(folder, name))
  let written = ''

  function write() {
    written = serialize(record())
    writePrivateFile(main, name, written)
    for (const folder of copies) attempt(() => writePrivateFile(folder, name, written))
  }
  function keep() {
    if (serialize(record()) !== written || !files.every(file => statSync(file, { throwIfNoEntry: false })))
      attempt(write)
  }
  write()
  const timer = setInterval(keep, REWRITE_INTERVAL_MS).unref()
  return {
    file: files[0]!,
    remove() {
      clearInterval(timer)
      for (const file of files) rmSync(file, { force: true })
    }
  }
}

/** Writes one field per line, so that a shell can read it with sed. */
const serialize = (record: DiscoveryRecord) => `${JSON.stringify(record, null, 2)}\n`

/** A failure to write the copy must not prevent serving. */
function attempt(action: () => void) {
  try {
    action()
  } catch {}
}

export interface DiscoveryFile {
  file: string
  record: DiscoveryRecord
}

/** Returns all readable and trustworthy files, newest first. Whether their server is still running is checked with /health. */
export function readDiscoveries(env: Env): DiscoveryFile[] {
  const byInstance = new Map<string, DiscoveryFile>()
  for (const folder of runFolders(env)) {
    for (const name of listFolder(folder)) {
      const found = readDiscovery(path.join(folder, name))
      if (found && !byInstance.has(found.record.instance)) byInstance.set(found.record.instance, found)
    }
  }
  return [...byInstance.values()].sort((a, b) => b.record.started_at.localeCompare(a.record.started_at))
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => /^[^.].*\.json$/.test(name))
  } catch {
    return []
  }
}

function readDiscovery(file: string): DiscoveryFile | undefined {
  try {
    if (!isPrivate(file, 'isFile')) return undefined
    const record: Partial<DiscoveryRecord> = JSON.parse(readFileSync(file, 'utf8'))
    const { schema, instance, url, token, roots, started_at } = record
    const whole = [instance, url, token, started_at].every(field => typeof field === 'string') && Array.isArray(roots)
    return schema === 1 && whole ? { file, record: record as DiscoveryRecord } : undefined
  } catch {
    return undefined
  }
}

/** Removes the file of a server that is definitely gone: it does not answer, and its process on this machine has exited. */
export function removeStale({ file, record }: DiscoveryFile): void {
  if (record.host === hostname() && !isProcessRunning(record.pid)) rmSync(file, { force: true })
}
