// Ranks files for a query. BM25 ranks pieces of files; a file's score combines its best pieces, its coverage of the query, and
// its kind.
import { isTestPath } from '../../text/code/file-kinds.ts'
import type { QueryTerms } from '../../text/code/query-terms.ts'
import { synonymsOf } from '../../text/code/synonyms.ts'
import { fileIdOf } from './index-schema.ts'
import type { IndexStore } from './index-store.ts'

export interface RankedFile {
  path: string
  /** Fingerprint of the file when it was indexed; see `indexFingerprint` in `index-tree.ts`. */
  stamp: string
  score: number
  /** Lines of its best pieces, best first. */
  pieces: { from: number; to: number }[]
  /** Words of the query that it contains, and names composed of them. */
  matched: string[]
  /** Found by its embedding, whatever its words. */
  by_meaning?: true
}

/** Maximum number of pieces, and outlines, and then files, examined more closely. */
const MAX_HITS = 300
const MAX_CANDIDATE_FILES = 100
/** A word in more than this share of all pieces is not distinctive, unless there is no other. */
const COMMON_WORD_SHARE = 0.4
const MIN_COMMON_PIECES = 20
/** Number of pieces with a word beyond which ranking them takes long. */
const MAX_PIECES_PER_WORD = 4_000
/** Weight of a file's next best piece relative to the one before it. */
const PIECE_DECAY = 0.4
const MAX_PIECES = 3
/** Share of its score that a file with hardly any of the query retains. */
const MIN_COVERAGE = 0.3
/** Weight of an outline match relative to its best piece. */
const OUTLINE_WEIGHT = 2
/** Weight of a synonym. */
const SYNONYM_WEIGHT = 0.4

export function rankFiles(
  store: IndexStore,
  question: QueryTerms,
  limit: number,
  within: readonly number[] | undefined
): RankedFile[] {
  const terms = weighTerms(store, question)
  const pieces = Map.groupBy(store.searchPieces(cheapestWords(terms), MAX_HITS, within), ({ id }) => fileIdOf(id))
  const outlines = outlineScores(store, terms, within)
  const wanted = sum(terms.map(({ weight, isRequired }) => (isRequired ? weight : 0))) || 1
  return [...new Set([...pieces.keys(), ...outlines.keys()])]
    .map(id => {
      const own = pieces.get(id)?.slice(0, MAX_PIECES) ?? []
      const best = sum(own.map(({ score }, i) => score * PIECE_DECAY ** i)) + OUTLINE_WEIGHT * (outlines.get(id) ?? 0)
      const cover = sum(terms.map(one => coverage(one, id))) / wanted
      return { id, own, score: best * (MIN_COVERAGE + (1 - MIN_COVERAGE) * cover) }
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, Math.max(MAX_CANDIDATE_FILES, 2 * limit))
    .flatMap(({ id, own, score }) => {
      const file = store.file(id)
      if (!file) return []
      const weight = question.aboutTests && isTestPath(file.path) ? 1 : file.weight
      return [{ file, own, score: score * weight }]
    })
    .sort((a, b) => b.score - a.score || (a.file.path < b.file.path ? -1 : 1))
    .slice(0, limit)
    .map(({ file: { id, path, stamp }, own, score }) => ({
      path,
      stamp,
      score,
      pieces: own.map(piece => store.lineRange(piece.id)),
      matched: terms.filter(({ exactFiles }) => exactFiles.has(id)).map(({ word }) => word)
    }))
}

interface QueryTerm {
  word: string
  /** Synonyms. */
  alternatives: readonly string[]
  /** Number of pieces that contain it. */
  pieceCount: number
  /** Distinctiveness of the word. */
  weight: number
  /** A good result should contain it. */
  isRequired: boolean
  /** Files with the word, and files with a synonym. */
  exactFiles: ReadonlySet<number>
  synonymFiles: ReadonlySet<number>
}

/** Weighs the terms of a query by distinctiveness. Terms that occur nowhere are ignored. */
function weighTerms(store: IndexStore, { words, names }: QueryTerms): QueryTerm[] {
  const total = store.pieceCount
  const terms = [...words, ...names].flatMap((word): (QueryTerm & { common: boolean })[] => {
    const isRequired = words.includes(word)
    const alternatives = isRequired ? synonymsOf(word) : []
    const { files, spread } = store.findFilesWith([word])
    const { files: synonyms } = store.findFilesWith(alternatives)
    if (files.size === 0 && synonyms.size === 0) return []
    const weight = Math.log(1 + (total - spread + 0.5) / (spread + 0.5))
    const common = spread > Math.max(MIN_COMMON_PIECES, total * COMMON_WORD_SHARE)
    return [
      { word, alternatives, pieceCount: spread, weight, isRequired, exactFiles: files, synonymFiles: synonyms, common }
    ]
  })
  const rare = terms.filter(({ common }) => !common)
  return rare.length > 0 ? rare : terms
}

/** Returns the words used to search pieces: in a large index the rarer ones suffice, and cost far less. */
function cheapestWords(terms: readonly QueryTerm[]): string[] {
  const quick = terms.filter(({ pieceCount }) => pieceCount <= MAX_PIECES_PER_WORD)
  return (quick.length > 0 ? quick : terms).map(({ word }) => word)
}

/** Scores outlines by the words and, with less weight, by synonyms. */
function outlineScores(store: IndexStore, terms: readonly QueryTerm[], within: readonly number[] | undefined) {
  const words = terms.map(({ word }) => word)
  const others = new Set(terms.flatMap(one => one.alternatives).filter(other => !words.includes(other)))
  const scores = new Map(store.searchOutlines(words, MAX_HITS, within).map(({ id, score }) => [id, score]))
  for (const { id, score } of store.searchOutlines([...others], MAX_HITS, within))
    scores.set(id, (scores.get(id) ?? 0) + score * SYNONYM_WEIGHT)
  return scores
}

const coverage = ({ weight, isRequired, exactFiles, synonymFiles }: QueryTerm, id: number) =>
  !isRequired ? 0 : exactFiles.has(id) ? weight : synonymFiles.has(id) ? weight * SYNONYM_WEIGHT : 0

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
