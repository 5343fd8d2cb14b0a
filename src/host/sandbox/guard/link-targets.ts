// What has no telling name itself and is obeyed or holds secrets all the same: where links with such names lead, and what
// the configuration of a repository names.
import { lstatSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { errnoOf } from '../../files/errno.ts'
import { isBeneath, realIfThere } from '../path-within.ts'
import type { Meaning } from './guarded-names.ts'
import { factsOf, type Guarded } from './guarded-tree.ts'

interface LedTo {
  there: Guarded[]
  /** Paths, relative to the root, of what would be obeyed if somebody made it. */
  missing: string[]
}

interface Place extends Meaning {
  file: string
}

/** In git's configuration. */
const HOOKS = /^\s*(?:\[core\]\s*)?hookspath\s*=\s*(.+?)\s*$/im
const INCLUDED = /^\s*(?:\[include[^\]]*\]\s*)?path\s*=\s*(.+?)\s*$/gim

/** Only what is in the workspace, and in none of what is guarded in the same way. */
export function ledTo(root: string, guarded: readonly Guarded[]): LedTo {
  const isKnown = (file: string, place: Place) =>
    guarded.some(
      one =>
        isBeneath(file, path.join(root, one.path)) && (!place.kept || one.kept) && (!place.sensitive || one.sensitive)
    )
  const there = new Map<string, Guarded>()
  const missing = new Set<string>()
  for (const place of guarded.flatMap(one => placesOf(root, one))) {
    const file = realIfThere(place.file)
    const name = path.relative(root, file ?? place.file)
    if (name === '' || !isBeneath(path.join(root, name), root)) continue
    if (file === undefined && place.kept) missing.add(name)
    const stat = file === undefined || isKnown(file, place) ? undefined : lstatSync(file, BIG)
    if (!stat) continue
    const { kept = false, sensitive = false } = there.get(name) ?? {}
    const meaning = { kept: kept || place.kept, sensitive: sensitive || place.sensitive }
    there.set(name, { ...meaning, path: name, ...factsOf(stat) })
  }
  return { there: [...there.values()], missing: [...missing] }
}

const BIG = { bigint: true, throwIfNoEntry: false } as const

function placesOf(root: string, { path: name, kind, target, kept, sensitive }: Guarded): Place[] {
  const file = path.join(root, name)
  if (target !== undefined) return [{ file: path.resolve(path.dirname(file), target), kept, sensitive }]
  if (kind !== 'folder' || path.basename(file) !== '.git') return []
  const config = configOf(file)
  const hooks = unquoted(HOOKS.exec(config)?.[1]).map(value => path.resolve(path.dirname(file), value))
  const included = [...config.matchAll(INCLUDED)].flatMap(([, value]) => unquoted(value))
  return [...hooks, ...included.map(value => path.resolve(file, value))].map(one => ({
    file: one,
    kept: true,
    sensitive: false
  }))
}

const unquoted = (value = '') => (value === '' || value.startsWith('~') ? [] : [value.replace(/^"(.*)"$/, '$1')])

function configOf(git: string): string {
  try {
    return readFileSync(path.join(git, 'config'), 'utf8')
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return ''
  }
}
