// Finds the shell that the server uses for command lines.
import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Returns bash if there is one. */
export function findServerShell(): string {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  const candidates = ['bash', 'sh'].flatMap(name => folders.map(folder => path.join(folder, name)))
  return candidates.find(isExecutable) ?? '/bin/sh'
}

function isExecutable(file: string) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
