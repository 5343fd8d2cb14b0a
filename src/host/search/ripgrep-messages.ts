// Parses ripgrep's output into matches. Its --json messages come file by file: begin, match and context lines, end.
import { spellBytes } from '../../text/byte-names.ts'
import { decodeChunk } from '../../text/chunk-decoding.ts'
import { detectEncoding, type Encoding } from '../../text/encoding.ts'

export interface SearchMatch {
  path: string
  /** 1-based. */
  line: number
  /** 1-based, in characters, of the first match in the line. */
  column: number
  /** The matching line or lines; a very long one is truncated around the match. */
  text: string
  before: string[]
  after: string[]
}

type Text = { text: string } | { bytes: string }
export type RipgrepMessage =
  | { type: 'begin'; data: { path: Text } }
  | { type: 'match'; data: { lines: Text; line_number: number; submatches: { start: number }[] } }
  | { type: 'context'; data: { lines: Text; line_number: number } }
  | { type: 'end'; data: { binary_offset: number | null } }
  | { type: 'summary' }

const MAX_LINE_CHARACTERS = 1_000
const LEADING_CHARACTERS = 200
/** Further lines say no more about the encoding of a file. */
const MAX_EVIDENCE_BYTES = 2_048
// A file with very many matches is reported in batches, so that a reader may stop.
const MAX_BATCH_MATCHES = 1_000

/** Collects the messages of one file. */
export class FileMatches {
  readonly path: string
  readonly #context: number
  /** Lines that are not UTF-8, by which the encoding of the file is guessed. */
  #evidence = Buffer.alloc(0)
  #encoding: Encoding = 'utf-8'
  #lines = new Map<number, string>()
  #matches: { line: number; last: number; column: number; text: string }[] = []

  constructor(path: string, context: number) {
    this.path = path
    this.#context = context
  }

  get isFull() {
    return this.#matches.length >= MAX_BATCH_MATCHES
  }

  add({ type, data }: Extract<RipgrepMessage, { type: 'match' | 'context' }>) {
    const bytes = decodeBytes(data.lines)
    const encoding = 'text' in data.lines ? 'utf-8' : this.#guessEncoding(bytes)
    const text = decodeChunk(bytes, encoding).replace(/\r?\n$/, '')
    const lines = text.split('\n')
    if (this.#context > 0)
      for (const [i, line] of lines.entries()) this.#lines.set(data.line_number + i, truncateAround(line, 0))
    if (type === 'context') return
    const at = bytes.subarray(0, data.submatches[0]?.start ?? 0)
    const prefix = decodeChunk(at, encoding)
    this.#matches.push({
      line: data.line_number,
      last: data.line_number + lines.length - 1,
      column: [...prefix].length + 1,
      text: truncateAround(text, prefix.length)
    })
  }

  #guessEncoding(line: Buffer): Encoding {
    if (this.#evidence.length > MAX_EVIDENCE_BYTES) return this.#encoding
    this.#evidence = Buffer.concat([this.#evidence, line])
    this.#encoding = detectEncoding(this.#evidence)?.encoding ?? 'utf-8'
    return this.#encoding
  }

  /** Returns the matches so far and clears them. */
  drain(): SearchMatch[] {
    const matches = this.#matches.map(({ line, last, column, text }) => ({
      path: this.path,
      line,
      column,
      text,
      before: this.#between(line - this.#context, line - 1),
      after: this.#between(last + 1, last + this.#context)
    }))
    this.#matches = []
    return matches
  }

  #between(from: number, to: number) {
    const found: string[] = []
    for (let line = from; line <= to; line += 1) {
      const text = this.#lines.get(line)
      if (text !== undefined) found.push(text)
    }
    return found
  }
}

/** Spells the path of a message. */
export const decodePath = (path: Text) => spellBytes(decodeBytes(path))

const decodeBytes = (text: Text) => ('text' in text ? Buffer.from(text.text) : Buffer.from(text.bytes, 'base64'))

function truncateAround(text: string, at: number) {
  if (text.length <= MAX_LINE_CHARACTERS) return text
  const from = at + LEADING_CHARACTERS > MAX_LINE_CHARACTERS ? at - LEADING_CHARACTERS : 0
  return `${from > 0 ? '…' : ''}${text.slice(from, from + MAX_LINE_CHARACTERS)}${from + MAX_LINE_CHARACTERS < text.length ? '…' : ''}`
}
