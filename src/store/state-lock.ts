// Lock of a state folder: at most one live server per folder. Uses SQLite's exclusive lock, which the kernel releases when the
// process dies in any way; a pid file could be stale.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { preparePrivateDatabase } from './private-database.ts'

export interface StateLock {
  release(): void
}

/** Creates the folder, private to this user, and locks it; undefined if another live process holds the lock. */
export function acquireStateLock(stateDir: string): StateLock | undefined {
  const file = path.join(stateDir, 'lock.db')
  preparePrivateDatabase(file)
  const database = new DatabaseSync(file, { timeout: 0 })
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
