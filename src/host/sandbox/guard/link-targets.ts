// What has no telling name itself and is obeyed or holds secrets all the same: where links with such names lead, and what
// the configuration of a repository names.
import { lstatSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { errnoOf } from '../../files/errno.ts'
import { isWithin, realPathIfExists } from '../path-within.ts'
import type { NameProtection } from './guarded-names.ts'
import { type GuardedEntry, statFacts } from './guarded-tree.ts'

interface LinkTargets {
  existing: GuardedEntry[]
  /** Paths, relative to the root, of what would be obeyed if somebody made it. */
  missing: string[]
}

interface TargetPath extends NameProtection {
  file: string
}

/** In git's configuration. */
const HOOKS_PATH_SETTING = /^\s*(?:\[core\]\s*)?hookspath\s*=\s*(.+?)\s*$/im
const INCLUDE_PATH_SETTING = /^\s*(?:\[include[^\]]*\]\s*)?path\s*=\s*(.+?)\s*$/gim

/** Only what is in the workspace, and in none of what is guarded in the same way. */
export function findLinkTargets(root: string, guarded: readonly GuardedEntry[]): LinkTargets {
  const isKnown = (file: string, place: TargetPath) =>
    guarded.some(
      one =>
        isWithin(file, path.join(root, one.path)) && (!place.kept || one.kept) && (!place.sensitive || one.sensitive)
    )
  const there = new Map<string, GuardedEntry>()
  const missing = new Set<string>()
  for (const place of guarded.flatMap(one => targetsOf(root, one))) {
    const file = realPathIfExists(place.file)
    const name = path.relative(root, file ?? place.file)
    if (name === '' || !isWithin(path.join(root, name), root)) continue
    if (file === undefined && place.kept) missing.add(name)
    const stat = file === undefined || isKnown(file, place) ? undefined : lstatSync(file, BIGINT_STAT)
    if (!stat) continue
    const { kept = false, sensitive = false } = there.get(name) ?? {}
    const meaning = { kept: kept || place.kept, sensitive: sensitive || place.sensitive }
    there.set(name, { ...meaning, path: name, ...statFacts(stat) })
  }
  return { existing: [...there.values()], missing: [...missing] }
}

const BIGINT_STAT = { bigint: true, throwIfNoEntry: false } as const

function targetsOf(root: string, { path: name, kind, target, kept, sensitive }: GuardedEntry): TargetPath[] {
  const file = path.join(root, name)
  if (target !== undefined) return [{ file: path.resolve(path.dirname(file), target), kept, sensitive }]
  if (kind !== 'folder' || path.basename(file) !== '.git') return []
  const config = readGitConfig(file)
  const hooks = unquote(HOOKS_PATH_SETTING.exec(config)?.[1]).map(value => path.resolve(path.dirname(file), value))
  const included = [...config.matchAll(INCLUDE_PATH_SETTING)].flatMap(([, value]) => unquote(value))
  return [...hooks, ...included.map(value => path.resolve(file, value))].map(one => ({
    file: one,
    kept: true,
    sensitive: false
  }))
}

const unquote = (value = '') => (value === '' || value.startsWith('~') ? [] : [value.replace(/^"(.*)"$/, '$1')])

function readGitConfig(git: string): string {
  try {
    return readFileSync(path.join(git, 'config'), 'utf8')
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return ''
  }
}
