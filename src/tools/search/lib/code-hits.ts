// Where in a file the answer is. It is always read anew from the disk: what an index or a search has told may be old by
// the time it is shown, and what is not there any more is not told.
import { ToolError } from '../../../errors.ts'
import { exactStamp, isStamp } from '../../../host/code/index-tree.ts'
import { piecesOf } from '../../../text/code/chunks.ts'
import { isDense } from '../../../text/code/file-kinds.ts'
import type { Question } from '../../../text/code/query-terms.ts'
import { wordsOf } from '../../../text/code/tokenize.ts'
import { decode } from '../../../text/encoding.ts'
import type { Context } from '../../../tool/tool.ts'

/** A file that answers, as far as is known. */
export interface Candidate {
  path: string
  score: number
  /** The file's stamp when its pieces were told; empty where they must be looked for. */
  stamp: string
  pieces: readonly Lines[]
  /** It is told for what it means, whatever its words. */
  by_meaning?: true
}

interface Lines {
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

/** A snippet is a part of a piece that is no longer than this. */
const SNIPPET_LINES = 12
const LONGEST_LINE = 300
const LARGEST = 4 * 1024 * 1024
/** Faults by which a file that was found is just not there for us. */
const NOT_THERE: ReadonlySet<string> = new Set([
  'FILE_NOT_FOUND',
  'NOT_A_FILE',
  'NOT_A_DIRECTORY',
  'PERMISSION_DENIED',
  'SENSITIVE_PATH',
  'INVALID_PATH',
  'STALE_FILE'
])

/** Undefined where the file is gone, may not be shown, or holds no word of the question any more. */
export async function hitIn(candidate: Candidate, question: Question, ctx: Context): Promise<Hit | undefined> {
  try {
    const { path, score } = candidate
    if (!ctx.may_show({ path, entry: true })) return undefined
    const file = await textOf(path, ctx)
    if (file === undefined) return undefined
    const lines = file.text.split('\n')
    const told = isStamp(candidate.stamp, file.stamp)
      ? candidate.pieces.map(each => measured(each, lines, question))
      : []
    const good = told.filter(({ words }) => candidate.by_meaning || words.size > 0)
    const pieces = good.length > 0 ? good : searched(path, file.text, lines, question)
    const inPath = wordsAsked(wordsOf(path), question)
    const [best, ...others] = pieces.length > 0 || inPath.size === 0 ? pieces : [topOf(lines)]
    if (!best) return undefined
    const { from, to } = narrowed(best, lines, question)
    const matched = new Set([...inPath, ...pieces.flatMap(({ words }) => [...words])])
    return {
      path,
      lines: [from, to],
      score: Math.round(score * 100) / 100,
      matched: [...question.words, ...question.names]
        .filter(word => matched.has(word))
        .map(word => question.said[word] ?? word),
      snippet: numbered(lines, from, to),
      ...(others.length > 0 && { also: others.map((each): [number, number] => [each.from, each.to]) })
    }
  } catch (error) {
    if (error instanceof ToolError && NOT_THERE.has(error.code)) return undefined
    throw error
  }
}

/** The file's text as it is now, if it is one that people read. */
async function textOf(path: string, { host, signal }: Context): Promise<{ text: string; stamp: string } | undefined> {
  const file = host.files.open(path)
  try {
    if (file.path !== path || file.size > LARGEST) return undefined
    const text = decode(await file.bytes(signal))?.text
    return text === undefined || isDense(text) ? undefined : { text, stamp: stampOf(file.stat) }
  } finally {
    file.close()
  }
}

const stampOf = ({ ino, size, mtimeNs, ctimeNs }: { ino: bigint; size: bigint; mtimeNs: bigint; ctimeNs: bigint }) =>
  exactStamp({ ino: Number(ino), size: Number(size), mtime: milliseconds(mtimeNs), ctime: milliseconds(ctimeNs) })

/** As Node tells them where numbers are not big. */
const milliseconds = (ns: bigint) => Number(ns / 1_000_000_000n) * 1_000 + Number(ns % 1_000_000_000n) / 1e6

interface Measured extends Lines {
  /** Words of the question that are in it. */
  words: ReadonlySet<string>
}

function measured({ from, to }: Lines, lines: readonly string[], question: Question): Measured {
  return { from, to, words: wordsAsked(wordsOf(lines.slice(from - 1, to).join('\n')), question) }
}

/** The pieces with most of the question in them, best first. */
function searched(path: string, text: string, lines: readonly string[], question: Question): Measured[] {
  return piecesOf(path, text)
    .map(piece => measured(piece, lines, question))
    .filter(({ words }) => words.size > 0)
    .sort((a, b) => b.words.size - a.words.size)
    .slice(0, 3)
}

const topOf = (lines: readonly string[]): Measured => ({
  from: 1,
  to: Math.min(lines.length, SNIPPET_LINES),
  words: new Set()
})

function wordsAsked(words: readonly string[], question: Question): Set<string> {
  const asked = new Set([...question.words, ...question.names])
  return new Set(words.filter(word => asked.has(word)))
}

/** The lines of a piece that hold most of the question. */
function narrowed({ from, to }: Lines, lines: readonly string[], question: Question): Lines {
  const last = Math.min(to, lines.length)
  if (last - from < SNIPPET_LINES) return { from, to: trimmed(lines, from, last) }
  const words = lines.slice(from - 1, last).map(line => wordsAsked(wordsOf(line), question))
  const worth = (start: number) => {
    const window = words.slice(start, start + SNIPPET_LINES)
    const all = window.reduce((sum, { size }) => sum + size, 0)
    return new Set(window.flatMap(each => [...each])).size * SNIPPET_LINES + all
  }
  const starts = words.flatMap((each, i) => (each.size > 0 ? Math.min(i, words.length - SNIPPET_LINES) : []))
  const start = starts.reduce((best, each) => (worth(each) > worth(best) ? each : best), starts[0] ?? 0)
  return { from: from + start, to: trimmed(lines, from + start, from + start + SNIPPET_LINES - 1) }
}

/** Without blank lines at its end. */
function trimmed(lines: readonly string[], from: number, to: number): number {
  let last = to
  while (last > from && lines[last - 1]!.trim() === '') last -= 1
  return last
}

const numbered = (lines: readonly string[], from: number, to: number) =>
  lines
    .slice(from - 1, to)
    .map((line, i) => `${String(from + i).padStart(5)}  ${cut(line.replace(/\r$/, ''))}`)
    .join('\n')

const cut = (line: string) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line)
