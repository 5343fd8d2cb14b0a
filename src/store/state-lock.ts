// One live server for each state folder. SQLite's exclusive lock is used because the kernel lets go of it when the
// process dies, however it dies; a file with a pid in it would have to be believed.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface StateLock {
  release(): void
}

/** Makes the folder, for this user alone, and takes it; undefined when another live process has it. */
export function acquireStateLock(stateDir: string): StateLock | undefined {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(path.join(stateDir, 'lock.db'), { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined
    throw error
  }
  return { release: () => database.close() }
}

const SQLITE_BUSY = 5
