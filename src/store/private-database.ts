// Makes a database readable by its owner alone.
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/**
 * Creates an empty database and its folder if missing, readable by this user alone, and restricts those that exist. SQLite gives a
 * write-ahead log the mode of its database.
 */
export function preparePrivateDatabase(file: string) {
  const folder = path.dirname(file)
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
  closeSync(openSync(file, 'a', FILE_MODE))
  restrict(folder, FOLDER_MODE)
  for (const each of [file, `${file}-wal`, `${file}-shm`]) restrict(each, FILE_MODE)
}

/** Leaves what belongs to another user, or is a link, as it is. */
function restrict(file: string, mode: number) {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats || stats.isSymbolicLink() || stats.uid !== process.getuid?.()) return
  if ((stats.mode & 0o777 & ~mode) === 0) return
  try {
    chmodSync(file, mode)
  } catch {
    // Some mounted file systems have no modes.
  }
}
