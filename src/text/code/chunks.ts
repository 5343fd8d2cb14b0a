// Splits a file into chunks small enough for an answer: each begins at a definition or after a blank line, including the comment
// above it.
import { Syntax } from './definitions.ts'

/** A range of lines, counted from 1, inclusive. */
export interface CodeChunk {
  from: number
  to: number
  /** Defined names, separated by spaces. */
  names: string
  /** Introduction of the file; for the first chunk only. */
  head: string
  /** Comments and prose. */
  prose: string
  /** All other lines. */
  code: string
}

/** A new chunk begins at a definition after at least this many lines … */
const MIN_CHUNK_LINES = 12
/** … at a blank line after this many, and anywhere after MAX_CHUNK_LINES. */
const PREFERRED_CHUNK_LINES = 40
const MAX_CHUNK_LINES = 60
/** Maximum number of lines of a file's introduction. */
const HEAD_LINES = 30

export function splitIntoChunks(path: string, text: string): CodeChunk[] {
  const syntax = Syntax.of(path)
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const described = lines.map(line => ({ line, prose: syntax.isProse(line), name: syntax.defined(line) }))
  const starts = chunkStarts(described)
  return starts.map((start, i) => {
    const end = starts[i + 1] ?? lines.length
    const own = described.slice(start, end)
    return {
      from: start + 1,
      to: end,
      names: own.flatMap(({ name }) => name ?? []).join('\n'),
      head: i === 0 ? leadingComment(own) : '',
      prose: own.flatMap(({ line, prose }) => (prose ? line : [])).join('\n'),
      code: own.flatMap(({ line, prose }) => (prose ? [] : line)).join('\n')
    }
  })
}

interface Line {
  line: string
  prose: boolean
  name: string | undefined
}

function chunkStarts(lines: readonly Line[]): number[] {
  if (lines.length === 0) return []
  const starts = [0]
  for (let at = 1; at < lines.length; at += 1) {
    const begun = starts.at(-1)!
    const count = at - begun
    const { line, name } = lines[at]!
    if (name !== undefined && count >= MIN_CHUNK_LINES) {
      const start = includeLeadingComment(lines, at)
      if (start > begun) starts.push(start)
    } else if (count >= MAX_CHUNK_LINES || (count >= PREFERRED_CHUNK_LINES && line.trim() === '')) starts.push(at)
  }
  return starts
}

function includeLeadingComment(lines: readonly Line[], definition: number): number {
  let start = definition
  while (start > 0 && lines[start - 1]!.prose && lines[start - 1]!.name === undefined) start -= 1
  return start
}

/** Returns the comment, or first heading and paragraph, at the beginning of a file. */
function leadingComment(lines: readonly Line[]): string {
  const begins = lines.findIndex(({ line }) => line.trim() !== '' && !line.startsWith('#!'))
  if (begins < 0 || !lines[begins]!.prose) return ''
  const rest = lines.slice(begins, HEAD_LINES)
  const ends = rest.findIndex(({ line, prose }, i) => !prose && (line.trim() !== '' || i > 1))
  return (ends < 0 ? rest : rest.slice(0, ends)).map(({ line }) => line).join('\n')
}
