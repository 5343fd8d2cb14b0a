// Lock of a state folder: at most one live server per folder. Uses SQLite's exclusive lock, which the kernel releases when the
// process dies in any way; a pid file could be stale.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface StateLock {
  release(): void
}

/** Creates the folder, private to this user, and locks it; undefined if another live process holds the lock. */
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
