// Reciprocal rank fusion of two rankings: by words and by embeddings. Only ranks count, since the scores are not comparable.
import { fileIdOf } from './index-schema.ts'
import type { IndexHit, IndexStore } from './index-store.ts'
import type { RankedFile } from './ranking.ts'

/** The higher, the less the first ranks count against later ones. */
const RANK_CONSTANT = 60
const MAX_PIECES = 3

export function fuseRankings(
  store: IndexStore,
  byWords: readonly RankedFile[],
  nearest: readonly IndexHit[],
  limit: number
): RankedFile[] {
  const files = new Map<string, RankedFile>()
  const add = (file: RankedFile, place: number) => {
    const known = files.get(file.path)
    const score = (known?.score ?? 0) + 100 / (RANK_CONSTANT + place)
    const pieces = known && known.pieces.length > 0 ? known.pieces : file.pieces
    files.set(file.path, { ...file, ...known, pieces, score, ...(file.by_meaning && { by_meaning: true }) })
  }
  for (const [i, file] of byWords.entries()) add(file, i + 1)
  for (const [i, file] of rankByMeaning(store, nearest).entries()) add(file, i + 1)
  return [...files.values()].sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, limit)
}

function rankByMeaning(store: IndexStore, nearest: readonly IndexHit[]): RankedFile[] {
  const byFile = Map.groupBy(nearest, ({ id }) => fileIdOf(id))
  return [...byFile].flatMap(([id, finds]) => {
    const file = store.file(id)
    if (!file) return []
    const pieces = finds.slice(0, MAX_PIECES).map(find => store.lineRange(find.id))
    return [{ path: file.path, stamp: file.stamp, score: 0, pieces, matched: [], by_meaning: true as const }]
  })
}
