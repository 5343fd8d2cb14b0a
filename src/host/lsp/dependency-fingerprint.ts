// Fingerprints a project's dependencies, whose folders are not watched: the timestamps of a few paths that every installer
// touches reveal changes.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from '../workspace.ts'
import { selfAndAncestors } from './servers/launch-config.ts'

/** Returns a fingerprint that changes once something is installed or removed. `places` are those of the server's definition. */
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

/** Returns an empty string if there is no entry. */
function fileStamp(path: string): string {
  try {
    const { mtimeNs, ino } = statSync(path, { bigint: true })
    return `${ino}:${mtimeNs}`
  } catch {
    return ''
  }
}
