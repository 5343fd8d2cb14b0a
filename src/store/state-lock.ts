// Lock of a state folder: at most one live server per folder. Uses SQLite's exclusive lock, which the kernel releases when the
// process dies in any way; a pid file could be stale.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toDatabaseError } from './database-error.ts'
import { preparePrivateDatabase } from './private-database.ts'

export interface StateLock {
  release(): void
}

/** Keeps databases from being garbage collected, which would close them: a lock holds even if the caller drops its handle. */
const held = new Set<DatabaseSync>()

/**
 * Creates the folder, private to this user, and locks it until `release` or the end of this process; undefined if another live
 * process holds the lock.
 */
export function acquireStateLock(stateDir: string): StateLock | undefined {
  const file = path.join(stateDir, 'lock.db')
  preparePrivateDatabase(file)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined
    throw toDatabaseError(error, file)
  }
  const locked = database
  held.add(locked)
  return {
    release: () => {
      held.delete(locked)
      locked.close()
    }
  }
}

const SQLITE_BUSY = 5
