// Which files answer a question best. BM25 ranks pieces of files; a file counts by its best pieces, by how much of the
// question it covers, and by its kind.
import { isTest } from '../../text/code/file-kinds.ts'
import type { Question } from '../../text/code/query-terms.ts'
import { synonymsOf } from '../../text/code/synonyms.ts'
import { fileOf } from './index-schema.ts'
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
const FINDS = 300
const FILES = 100
/** A word in more than this part of all pieces tells nothing apart, unless there is no other. */
const TOO_COMMON = 0.4
const FEW = 20
/** Pieces that hold a word, from which on it takes long to rank them. */
const SLOW = 4_000
/** How much the next best piece of a file counts against the one before it. */
const NEXT_PIECE = 0.4
const PIECES = 3
/** How much of its score a file that holds hardly any of the question keeps. */
const LEAST_COVER = 0.3
/** How much a match of its outline counts against one of its best piece. */
const OUTLINE = 2
/** How much a word that means the same counts. */
const SYNONYM = 0.4

export function ranked(
  store: IndexStore,
  question: Question,
  limit: number,
  within: readonly number[] | undefined
): RankedFile[] {
  const asked = telling(store, question)
  const pieces = Map.groupBy(store.pieces(quickest(asked), FINDS, within), ({ id }) => fileOf(id))
  const outlines = outlinesOf(store, asked, within)
  const wanted = sum(asked.map(({ value, counts }) => (counts ? value : 0))) || 1
  return [...new Set([...pieces.keys(), ...outlines.keys()])]
    .map(id => {
      const own = pieces.get(id)?.slice(0, PIECES) ?? []
      const best = sum(own.map(({ score }, i) => score * NEXT_PIECE ** i)) + OUTLINE * (outlines.get(id) ?? 0)
      const cover = sum(asked.map(one => coverOf(one, id))) / wanted
      return { id, own, score: best * (LEAST_COVER + (1 - LEAST_COVER) * cover) }
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, Math.max(FILES, 2 * limit))
    .flatMap(({ id, own, score }) => {
      const file = store.file(id)
      if (!file) return []
      const weight = question.about_tests && isTest(file.path) ? 1 : file.weight
      return [{ file, own, score: score * weight }]
    })
    .sort((a, b) => b.score - a.score || (a.file.path < b.file.path ? -1 : 1))
    .slice(0, limit)
    .map(({ file: { id, path, stamp }, own, score }) => ({
      path,
      stamp,
      score,
      pieces: own.map(piece => store.lines(piece.id)),
      matched: asked.filter(({ files }) => files.has(id)).map(({ word }) => word)
    }))
}

interface Asked {
  word: string
  /** Other words for it. */
  others: readonly string[]
  /** In how many pieces it is. */
  spread: number
  /** How much it tells apart. */
  value: number
  /** Whether a good answer should hold it. */
  counts: boolean
  /** Files that hold the word, and files that hold another for it. */
  files: ReadonlySet<number>
  synonyms: ReadonlySet<number>
}

/** What is asked for as far as it tells files apart. What is nowhere nobody can find. */
function telling(store: IndexStore, { words, names }: Question): Asked[] {
  const total = store.size
  const asked = [...words, ...names].flatMap((word): (Asked & { common: boolean })[] => {
    const counts = words.includes(word)
    const others = counts ? synonymsOf(word) : []
    const { files, spread } = store.holding([word])
    const { files: synonyms } = store.holding(others)
    if (files.size === 0 && synonyms.size === 0) return []
    const value = Math.log(1 + (total - spread + 0.5) / (spread + 0.5))
    const common = spread > Math.max(FEW, total * TOO_COMMON)
    return [{ word, others, spread, value, counts, files, synonyms, common }]
  })
  const rare = asked.filter(({ common }) => !common)
  return rare.length > 0 ? rare : asked
}

/** The words by which pieces are looked for: in a large index the rarer ones suffice, and cost far less. */
function quickest(asked: readonly Asked[]): string[] {
  const quick = asked.filter(({ spread }) => spread <= SLOW)
  return (quick.length > 0 ? quick : asked).map(({ word }) => word)
}

/** Of outlines, the score by the words and, for less, by others that mean the same. */
function outlinesOf(store: IndexStore, asked: readonly Asked[], within: readonly number[] | undefined) {
  const words = asked.map(({ word }) => word)
  const others = new Set(asked.flatMap(one => one.others).filter(other => !words.includes(other)))
  const scores = new Map(store.outlines(words, FINDS, within).map(({ id, score }) => [id, score]))
  for (const { id, score } of store.outlines([...others], FINDS, within))
    scores.set(id, (scores.get(id) ?? 0) + score * SYNONYM)
  return scores
}

const coverOf = ({ value, counts, files, synonyms }: Asked, id: number) =>
  !counts ? 0 : files.has(id) ? value : synonyms.has(id) ? value * SYNONYM : 0

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
