// Finds programs on PATH.
import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Returns true if an executable file of this name is in a folder of PATH. Relative folders are ignored. */
export const isOnPath = (name: string, searchPath = ''): boolean =>
  searchPath.split(path.delimiter).some(folder => path.isAbsolute(folder) && isExecutableFile(path.join(folder, name)))

function isExecutableFile(file: string) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
