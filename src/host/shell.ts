// Which shell runs command lines: bash where there is one, else sh.
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

const SHELLS = ['bash', 'sh']
const LAST_RESORT = '/bin/sh'

const found = new Map<string, string>()

/** The shell's full path, looked up once for each PATH. */
export function findShell(env: Readonly<Record<string, string>>): string {
  const path = env.PATH ?? ''
  const known = found.get(path)
  if (known) return known
  const folders = path.split(delimiter).filter(isAbsolute)
  const candidates = SHELLS.flatMap(name => folders.map(folder => join(folder, name)))
  const shell = candidates.find(isExecutable) ?? LAST_RESORT
  found.set(path, shell)
  return shell
}

function isExecutable(path: string) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
