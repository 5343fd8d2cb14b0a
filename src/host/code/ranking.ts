// Which files answer a question best. BM25 ranks pieces of files; a file counts by its best pieces, by how much of the
// question it covers, and by its kind.
import { isTestPath } from '../../text/code/file-kinds.ts'
import type { QueryTerms } from '../../text/code/query-terms.ts'
import { synonymsOf } from '../../text/code/synonyms.ts'
import { fileIdOf } from './index-schema.ts'
import type { IndexStore } from './index-store.ts'

export interface RankedFile {
  path: string
  /** What the file was when it was indexed; see `stampOf` in `index-tree.ts`. */
  stamp: string
  score: number
  /** Lines of its best pieces, best first. */
  pieces: { from: number; to: number }[]
  /** Words of the question that are in it, and names they make. */
  matched: string[]
  /** It is told for what it means, whatever its words. */
  by_meaning?: true
}

/** Pieces, and outlines, looked at more closely, and then files. */
const MAX_HITS = 300
const MAX_CANDIDATE_FILES = 100
/** A word in more than this part of all pieces tells nothing apart, unless there is no other. */
const COMMON_WORD_SHARE = 0.4
const MIN_COMMON_PIECES = 20
/** Pieces that hold a word, from which on it takes long to rank them. */
const MAX_PIECES_PER_WORD = 4_000
/** How much the next best piece of a file counts against the one before it. */
const PIECE_DECAY = 0.4
const MAX_PIECES = 3
/** How much of its score a file that holds hardly any of the question keeps. */
const MIN_COVERAGE = 0.3
/** How much a match of its outline counts against one of its best piece. */
const OUTLINE_WEIGHT = 2
/** How much a word that means the same counts. */
const SYNONYM_WEIGHT = 0.4

export function rankFiles(
  store: IndexStore,
  question: QueryTerms,
  limit: number,
  within: readonly number[] | undefined
): RankedFile[] {
  const asked = weighTerms(store, question)
  const pieces = Map.groupBy(store.searchPieces(cheapestWords(asked), MAX_HITS, within), ({ id }) => fileIdOf(id))
  const outlines = outlineScores(store, asked, within)
  const wanted = sum(asked.map(({ weight, isRequired }) => (isRequired ? weight : 0))) || 1
  return [...new Set([...pieces.keys(), ...outlines.keys()])]
    .map(id => {
      const own = pieces.get(id)?.slice(0, MAX_PIECES) ?? []
      const best = sum(own.map(({ score }, i) => score * PIECE_DECAY ** i)) + OUTLINE_WEIGHT * (outlines.get(id) ?? 0)
      const cover = sum(asked.map(one => coverage(one, id))) / wanted
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
      matched: asked.filter(({ exactFiles }) => exactFiles.has(id)).map(({ word }) => word)
    }))
}

interface QueryTerm {
  word: string
  /** Other words for it. */
  alternatives: readonly string[]
  /** In how many pieces it is. */
  pieceCount: number
  /** How much it tells apart. */
  weight: number
  /** Whether a good answer should hold it. */
  isRequired: boolean
  /** Files that hold the word, and files that hold another for it. */
  exactFiles: ReadonlySet<number>
  synonymFiles: ReadonlySet<number>
}

/** What is asked for as far as it tells files apart. What is nowhere nobody can find. */
function weighTerms(store: IndexStore, { words, names }: QueryTerms): QueryTerm[] {
  const total = store.pieceCount
  const asked = [...words, ...names].flatMap((word): (QueryTerm & { common: boolean })[] => {
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
  const rare = asked.filter(({ common }) => !common)
  return rare.length > 0 ? rare : asked
}

/** The words by which pieces are looked for: in a large index the rarer ones suffice, and cost far less. */
function cheapestWords(asked: readonly QueryTerm[]): string[] {
  const quick = asked.filter(({ pieceCount }) => pieceCount <= MAX_PIECES_PER_WORD)
  return (quick.length > 0 ? quick : asked).map(({ word }) => word)
}

/** Of outlines, the score by the words and, for less, by others that mean the same. */
function outlineScores(store: IndexStore, asked: readonly QueryTerm[], within: readonly number[] | undefined) {
  const words = asked.map(({ word }) => word)
  const others = new Set(asked.flatMap(one => one.alternatives).filter(other => !words.includes(other)))
  const scores = new Map(store.searchOutlines(words, MAX_HITS, within).map(({ id, score }) => [id, score]))
  for (const { id, score } of store.searchOutlines([...others], MAX_HITS, within))
    scores.set(id, (scores.get(id) ?? 0) + score * SYNONYM_WEIGHT)
  return scores
}

const coverage = ({ weight, isRequired, exactFiles, synonymFiles }: QueryTerm, id: number) =>
  !isRequired ? 0 : exactFiles.has(id) ? weight : synonymFiles.has(id) ? weight * SYNONYM_WEIGHT : 0

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
