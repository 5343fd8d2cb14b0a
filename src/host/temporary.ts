// Folders outside the workspace for what lives as long as a command: in the system's temporary folder, because a socket's
// path must be short. Each is named after the process that made it, so that what a killed server left is told apart.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from './processes/running.ts'

export interface TemporaryFolder {
  path: string
  remove(): Promise<void>
}

const PREFIX = 'toolgate-kept-'

/** A fresh one that only this user may look into. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  return { path, remove: () => removed(path) }
}

/** Removes those of processes that are gone. Another user's are left where they are. */
export async function sweepTemporary(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN
    if (pid > 0 && !isRunning(pid)) await removed(join(tmpdir(), name)).catch(() => {})
  }
}

const removed = (path: string) => rm(path, { recursive: true, force: true })
