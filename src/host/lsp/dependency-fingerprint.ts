// What a project depends on lies in folders that nobody watches. That something came, changed or went there is told by the
// times of a few of them, which every installer touches.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from '../workspace.ts'
import { selfAndAncestors } from './servers/launch-config.ts'

/** Differs once something was installed or removed. `places` are those of the server's row. */
export function dependencyFingerprint({ root }: Workspace, project: string, places: readonly string[]): string {
  return selfAndAncestors(project)
    .flatMap(folder => places.flatMap(place => expandPattern(join(root, folder), place.split('/'))))
    .map(fileStamp)
    .join(' ')
}

function expandPattern(folder: string, [name, ...rest]: readonly string[]): string[] {
  if (name === undefined) return [folder]
  const names = name === '*' ? listNames(folder) : [name]
  return names.flatMap(one => expandPattern(join(folder, one), rest))
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Empty where nothing is. */
function fileStamp(path: string): string {
  try {
    const { mtimeNs, ino } = statSync(path, { bigint: true })
    return `${ino}:${mtimeNs}`
  } catch {
    return ''
  }
}
