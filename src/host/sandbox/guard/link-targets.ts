// Finds entries that are protected or sensitive regardless of their own names: targets of links with such names, and paths named
// in a repository's configuration.

import path from 'node:path'
import { readNamedPaths } from '../../files/policy/git-programs.ts'
import { statIfReachable } from '../../files/policy/server-entries.ts'
import { isWithin, realPathIfExists } from '../path-within.ts'
import type { NameProtection } from './guarded-names.ts'
import { type GuardedEntry, statFacts } from './guarded-tree.ts'

interface LinkTargets {
  existing: GuardedEntry[]
  /** Missing paths, relative to the root, that would be interpreted if they were created. */
  missing: string[]
}

interface TargetPath extends NameProtection {
  file: string
}

/** Returns only targets inside the workspace that are not already guarded in the same way. */
export function findLinkTargets(root: string, guarded: readonly GuardedEntry[]): LinkTargets {
  const isKnown = (file: string, place: TargetPath) =>
    guarded.some(
      one =>
        isWithin(file, path.join(root, one.path)) &&
        (!place.writeProtected || one.writeProtected) &&
        (!place.sensitive || one.sensitive)
    )
  const there = new Map<string, GuardedEntry>()
  const missing = new Set<string>()
  for (const place of guarded.flatMap(one => targetsOf(root, one))) {
    const file = realPathIfExists(place.file)
    const name = path.relative(root, file ?? place.file)
    if (name === '' || !isWithin(path.join(root, name), root)) continue
    if (file === undefined && place.writeProtected) missing.add(name)
    const stat = file === undefined || isKnown(file, place) ? undefined : statIfReachable(file)
    if (!stat) continue
    const { writeProtected = false, sensitive = false } = there.get(name) ?? {}
    const meaning = { writeProtected: writeProtected || place.writeProtected, sensitive: sensitive || place.sensitive }
    there.set(name, { ...meaning, path: name, ...statFacts(stat) })
  }
  return { existing: [...there.values()], missing: [...missing] }
}

function targetsOf(root: string, { path: name, kind, target, writeProtected, sensitive }: GuardedEntry): TargetPath[] {
  const file = path.join(root, name)
  if (target !== undefined) return [{ file: path.resolve(path.dirname(file), target), writeProtected, sensitive }]
  if (kind !== 'folder' || path.basename(file) !== '.git') return []
  return ['config', 'config.worktree']
    .flatMap(config => readNamedPaths(path.join(file, config), { top: path.dirname(file), home: undefined }))
    .filter(named => !isWithin(path.dirname(file), named))
    .map(named => ({ file: named, writeProtected: true, sensitive: false }))
}
