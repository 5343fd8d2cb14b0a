// Code search without an index: ripgrep counts the words of the query, and files are ranked by the number of words they contain,
// weighted by rarity.
import { isExcluded, relevanceWeight } from '../../../text/code/file-kinds.ts'
import type { QueryTerms } from '../../../text/code/query-terms.ts'
import { tokenize } from '../../../text/code/tokenize.ts'
import type { RunContext } from '../../../tool/contexts.ts'
import type { SearchCandidate } from './code-hits.ts'

interface SearchScope {
  path: string
  kind: 'file' | 'directory'
  include: readonly string[]
  exclude: readonly string[]
}

/** Receives the numbers of lines and files that match so far. */
export type MatchCountListener = (lines: number, files: number) => void

/** Limits on lines and time; the results by then are used. */
const MAX_LINES = 50_000
const SEARCH_TIMEOUT_MS = 5_000

/** Returns the best files, best first. */
export async function searchByWordCounts(
  question: QueryTerms,
  place: SearchScope,
  { host, signal }: RunContext,
  onCount: MatchCountListener
): Promise<SearchCandidate[]> {
  const spoken = question.words.filter(word => !word.includes('_'))
  if (spoken.length === 0) return []
  const late = AbortSignal.timeout(SEARCH_TIMEOUT_MS)
  const search = host.ripgrep.search({
    ...place,
    pattern: spoken.map(word => wordStem(word, question)).join('|'),
    mode: 'content',
    literal: false,
    case: 'insensitive',
    multiline: false,
    ignored: false,
    context: 0,
    signal: AbortSignal.any([signal, late])
  })
  const files = new Map<string, Map<string, number>>()
  let lines = 0
  try {
    for await (const matches of search) {
      for (const match of matches) if ('text' in match && !isExcluded(match.path)) count(files, match, spoken)
      lines += matches.length
      onCount(lines, files.size)
      if (lines > MAX_LINES) break
    }
  } catch (error) {
    if (signal.aborted || !late.aborted) throw error
  }
  return rankFiles(files, spoken)
}

function count(
  files: Map<string, Map<string, number>>,
  { path, text }: { path: string; text: string },
  terms: string[]
) {
  const counts = files.get(path) ?? new Map<string, number>()
  for (const word of tokenize(text)) if (terms.includes(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  if (counts.size > 0) files.set(path, counts)
}

function rankFiles(
  files: ReadonlyMap<string, ReadonlyMap<string, number>>,
  terms: readonly string[]
): SearchCandidate[] {
  const values = new Map(
    terms.map(word => {
      const holding = [...files.values()].filter(counts => counts.has(word)).length
      return [word, Math.log(1 + (files.size - holding + 0.5) / (holding + 0.5))]
    })
  )
  return [...files]
    .map(([path, counts]) => {
      const inPath = new Set(tokenize(path))
      const worth = terms.map(word => {
        const times = (counts.get(word) ?? 0) + (inPath.has(word) ? 2 : 0)
        return (values.get(word) ?? 0) * Math.log1p(times)
      })
      const score =
        worth.reduce((sum, each) => sum + each, 0) * (counts.size / terms.length) * relevanceWeight(path, '')
      return { path, score, stamp: '', pieces: [] }
    })
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
}

/** Returns the common prefix of all forms of a word. */
function wordStem(word: string, { originals }: QueryTerms): string {
  const spoken = originals[word] ?? word
  return spoken.startsWith(word) ? word : spoken
}
