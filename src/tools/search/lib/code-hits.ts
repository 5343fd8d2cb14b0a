// Locates the hit in a file. The file is always read again from disk: results of an index or a search may be outdated, and text
// that no longer exists is omitted.
import { ToolError } from '../../../errors.ts'
import { exactFingerprint, matchesFingerprint } from '../../../host/code/index-tree.ts'
import { splitIntoChunks } from '../../../text/code/chunks.ts'
import { isMinified } from '../../../text/code/file-kinds.ts'
import type { QueryTerms } from '../../../text/code/query-terms.ts'
import { tokenize } from '../../../text/code/tokenize.ts'
import { decode } from '../../../text/encoding.ts'
import type { RunContext } from '../../../tool/contexts.ts'

/** A candidate file. */
export interface SearchCandidate {
  path: string
  score: number
  /** Fingerprint of the file when its pieces were found; empty if they must be searched. */
  stamp: string
  pieces: readonly LineRange[]
  /** Found by its embedding, whatever its words. */
  by_meaning?: true
}

interface LineRange {
  from: number
  to: number
}

export interface Hit {
  path: string
  lines: [number, number]
  score: number
  matched: string[]
  snippet: string
  also?: [number, number][]
}

/** A piece is narrowed to a snippet of at most this many lines. */
const SNIPPET_LINES = 12
const MAX_LINE_LENGTH = 300
const MAX_FILE_BYTES = 4 * 1024 * 1024
/** Errors after which a candidate counts as missing. */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  'FILE_NOT_FOUND',
  'NOT_A_FILE',
  'NOT_A_DIRECTORY',
  'PERMISSION_DENIED',
  'SENSITIVE_PATH',
  'INVALID_PATH',
  'STALE_FILE'
])

/** Returns undefined if the file is gone, must not be revealed, or no longer contains any word of the query. */
export async function findHit(
  candidate: SearchCandidate,
  question: QueryTerms,
  ctx: RunContext
): Promise<Hit | undefined> {
  try {
    const { path, score } = candidate
    if (!ctx.canReveal({ path, entry: true })) return undefined
    const file = await readCurrentText(path, ctx)
    if (file === undefined) return undefined
    const lines = file.text.split('\n')
    const ranges = matchesFingerprint(candidate.stamp, file.stamp)
      ? candidate.pieces.map(each => scoreRange(each, lines, question))
      : []
    const good = ranges.filter(({ words }) => candidate.by_meaning || words.size > 0)
    const pieces = good.length > 0 ? good : findBestChunks(path, file.text, lines, question)
    const inPath = matchedTerms(tokenize(path), question)
    const [best, ...others] = pieces.length > 0 || inPath.size === 0 ? pieces : [fileTop(lines)]
    if (!best) return undefined
    const { from, to } = narrowToSnippet(best, lines, question)
    const matched = new Set([...inPath, ...pieces.flatMap(({ words }) => [...words])])
    return {
      path,
      lines: [from, to],
      score: Math.round(score * 100) / 100,
      matched: [...question.words, ...question.names]
        .filter(word => matched.has(word))
        .map(word => question.originals[word] ?? word),
      snippet: numberLines(lines, from, to),
      ...(others.length > 0 && { also: others.map((each): [number, number] => [each.from, each.to]) })
    }
  } catch (error) {
    if (error instanceof ToolError && UNAVAILABLE_CODES.has(error.code)) return undefined
    throw error
  }
}

/** Reads the current content if it is human-readable text. */
async function readCurrentText(
  path: string,
  { host, signal }: RunContext
): Promise<{ text: string; stamp: string } | undefined> {
  const file = host.files.open(path)
  try {
    if (file.path !== path || file.size > MAX_FILE_BYTES) return undefined
    const text = decode(await file.bytes(signal))?.text
    return text === undefined || isMinified(text) ? undefined : { text, stamp: fingerprintOf(file.stat) }
  } finally {
    file.close()
  }
}

const fingerprintOf = ({
  ino,
  size,
  mtimeNs,
  ctimeNs
}: {
  ino: bigint
  size: bigint
  mtimeNs: bigint
  ctimeNs: bigint
}) =>
  exactFingerprint({ ino: Number(ino), size: Number(size), mtime: milliseconds(mtimeNs), ctime: milliseconds(ctimeNs) })

/** In the precision of Node's millisecond timestamps. */
const milliseconds = (ns: bigint) => Number(ns / 1_000_000_000n) * 1_000 + Number(ns % 1_000_000_000n) / 1e6

interface ScoredRange extends LineRange {
  /** Words of the query that it contains. */
  words: ReadonlySet<string>
}

function scoreRange({ from, to }: LineRange, lines: readonly string[], question: QueryTerms): ScoredRange {
  return { from, to, words: matchedTerms(tokenize(lines.slice(from - 1, to).join('\n')), question) }
}

/** Returns the pieces with the most words of the query, best first. */
function findBestChunks(path: string, text: string, lines: readonly string[], question: QueryTerms): ScoredRange[] {
  return splitIntoChunks(path, text)
    .map(piece => scoreRange(piece, lines, question))
    .filter(({ words }) => words.size > 0)
    .sort((a, b) => b.words.size - a.words.size)
    .slice(0, 3)
}

const fileTop = (lines: readonly string[]): ScoredRange => ({
  from: 1,
  to: Math.min(lines.length, SNIPPET_LINES),
  words: new Set()
})

function matchedTerms(words: readonly string[], question: QueryTerms): Set<string> {
  const terms = new Set([...question.words, ...question.names])
  return new Set(words.filter(word => terms.has(word)))
}

/** Returns the lines of a piece with the most words of the query. */
function narrowToSnippet({ from, to }: LineRange, lines: readonly string[], question: QueryTerms): LineRange {
  const last = Math.min(to, lines.length)
  if (last - from < SNIPPET_LINES) return { from, to: trimBlankEnd(lines, from, last) }
  const words = lines.slice(from - 1, last).map(line => matchedTerms(tokenize(line), question))
  const worth = (start: number) => {
    const window = words.slice(start, start + SNIPPET_LINES)
    const all = window.reduce((sum, { size }) => sum + size, 0)
    return new Set(window.flatMap(each => [...each])).size * SNIPPET_LINES + all
  }
  const starts = words.flatMap((each, i) => (each.size > 0 ? Math.min(i, words.length - SNIPPET_LINES) : []))
  const start = starts.reduce((best, each) => (worth(each) > worth(best) ? each : best), starts[0] ?? 0)
  return { from: from + start, to: trimBlankEnd(lines, from + start, from + start + SNIPPET_LINES - 1) }
}

/** Excludes trailing blank lines. */
function trimBlankEnd(lines: readonly string[], from: number, to: number): number {
  let last = to
  while (last > from && lines[last - 1]!.trim() === '') last -= 1
  return last
}

const numberLines = (lines: readonly string[], from: number, to: number) =>
  lines
    .slice(from - 1, to)
    .map((line, i) => `${String(from + i).padStart(5)}  ${truncateLine(line.replace(/\r$/, ''))}`)
    .join('\n')

const truncateLine = (line: string) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line)
