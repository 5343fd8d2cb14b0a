// What a project depends on lies in folders that nobody watches. That something came, changed or went there is told by the
// times of a few of them, which every installer touches.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from '../host.ts'
import { upFrom } from './servers/launch-config.ts'

/** Differs once something was installed or removed. `places` are those of the server's row. */
export function dependencyStamp({ root }: Workspace, project: string, places: readonly string[]): string {
  return upFrom(project)
    .flatMap(folder => places.flatMap(place => matching(join(root, folder), place.split('/'))))
    .map(timeOf)
    .join(' ')
}

function matching(folder: string, [name, ...rest]: readonly string[]): string[] {
  if (name === undefined) return [folder]
  const names = name === '*' ? namesIn(folder) : [name]
  return names.flatMap(one => matching(join(folder, one), rest))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Empty where nothing is. */
function timeOf(path: string): string {
  try {
    const { mtimeNs, ino } = statSync(path, { bigint: true })
    return `${ino}:${mtimeNs}`
  } catch {
    return ''
  }
}
