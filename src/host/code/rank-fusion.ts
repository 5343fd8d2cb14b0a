// One order from two: by words and by meaning. A file counts by its places in both, for their scores do not compare.
import { fileOf } from './index-schema.ts'
import type { Find, IndexStore } from './index-store.ts'
import type { RankedFile } from './ranking.ts'

/** The higher, the less the first places count against those after them. */
const EVENNESS = 60
const PIECES = 3

export function fused(
  store: IndexStore,
  byWords: readonly RankedFile[],
  nearest: readonly Find[],
  limit: number
): RankedFile[] {
  const files = new Map<string, RankedFile>()
  const add = (file: RankedFile, place: number) => {
    const known = files.get(file.path)
    const score = (known?.score ?? 0) + 100 / (EVENNESS + place)
    const pieces = known && known.pieces.length > 0 ? known.pieces : file.pieces
    files.set(file.path, { ...file, ...known, pieces, score, ...(file.by_meaning && { by_meaning: true }) })
  }
  for (const [i, file] of byWords.entries()) add(file, i + 1)
  for (const [i, file] of meant(store, nearest).entries()) add(file, i + 1)
  return [...files.values()].sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, limit)
}

function meant(store: IndexStore, nearest: readonly Find[]): RankedFile[] {
  const byFile = Map.groupBy(nearest, ({ id }) => fileOf(id))
  return [...byFile].flatMap(([id, finds]) => {
    const file = store.file(id)
    if (!file) return []
    const pieces = finds.slice(0, PIECES).map(find => store.lines(find.id))
    return [{ path: file.path, stamp: file.stamp, score: 0, pieces, matched: [], by_meaning: true as const }]
  })
}
