// Code search without an index: ripgrep counts the words of the question, and files are ranked by how many of them they
// hold, rare ones first.
import { isLeftOut, weightOf } from '../../../text/code/file-kinds.ts'
import type { Question } from '../../../text/code/query-terms.ts'
import { wordsOf } from '../../../text/code/tokenize.ts'
import type { Context } from '../../../tool/tool.ts'
import type { Candidate } from './code-hits.ts'

interface Place {
  path: string
  kind: 'file' | 'directory'
  include: readonly string[]
  exclude: readonly string[]
}

/** Lines looked at, and how long; what is found by then must do. */
const MOST_LINES = 50_000
const LONGEST_MS = 5_000

/** The best files, best first. */
export async function byWords(question: Question, place: Place, { host, signal }: Context): Promise<Candidate[]> {
  const spoken = question.words.filter(word => !word.includes('_'))
  if (spoken.length === 0) return []
  const late = AbortSignal.timeout(LONGEST_MS)
  const search = host.ripgrep.search({
    ...place,
    pattern: spoken.map(word => beginning(word, question)).join('|'),
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
      for (const match of matches) if ('text' in match && !isLeftOut(match.path)) count(files, match, spoken)
      lines += matches.length
      if (lines > MOST_LINES) break
    }
  } catch (error) {
    if (signal.aborted || !late.aborted) throw error
  }
  return ranked(files, spoken)
}

function count(
  files: Map<string, Map<string, number>>,
  { path, text }: { path: string; text: string },
  asked: string[]
) {
  const counts = files.get(path) ?? new Map<string, number>()
  for (const word of wordsOf(text)) if (asked.includes(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  if (counts.size > 0) files.set(path, counts)
}

function ranked(files: ReadonlyMap<string, ReadonlyMap<string, number>>, asked: readonly string[]): Candidate[] {
  const values = new Map(
    asked.map(word => {
      const holding = [...files.values()].filter(counts => counts.has(word)).length
      return [word, Math.log(1 + (files.size - holding + 0.5) / (holding + 0.5))]
    })
  )
  return [...files]
    .map(([path, counts]) => {
      const inPath = new Set(wordsOf(path))
      const worth = asked.map(word => {
        const times = (counts.get(word) ?? 0) + (inPath.has(word) ? 2 : 0)
        return (values.get(word) ?? 0) * Math.log1p(times)
      })
      const score = worth.reduce((sum, each) => sum + each, 0) * (counts.size / asked.length) * weightOf(path, '')
      return { path, score, stamp: '', pieces: [] }
    })
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
}

/** What all forms of a word begin with. */
function beginning(word: string, { said }: Question): string {
  const spoken = said[word] ?? word
  return spoken.startsWith(word) ? word : spoken
}
