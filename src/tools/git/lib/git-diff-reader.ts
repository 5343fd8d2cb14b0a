// Reads a diff as git prints it: the files first, then the text of those that are wanted and may be shown, as far as the
// bounds go. What comes after that is not waited for.
import { type DiffFile, DiffFiles } from './diff-files.ts'

export interface DiffBounds {
  /** The files whose text is wanted, by their places. */
  offset: number
  limit: number
  /** Bytes of one file, and of all. */
  perFile: number
  total: number
}

export interface DiffText {
  text: string
  truncated: boolean
}

export interface GitDiff {
  files: DiffFile[]
  /** By the place of the file. */
  texts: ReadonlyMap<number, DiffText>
}

/** How long a line may be before it is taken in pieces. */
const MAX_LINE_CHUNK = 1 << 20

/** `shows` tells whether the content of a file may be told. */
export async function readDiff(
  output: AsyncIterable<Buffer>,
  bounds: DiffBounds,
  shows: (file: DiffFile) => boolean
): Promise<GitDiff> {
  const reader = new DiffReader(bounds, shows)
  let rest = ''
  // Bytes as they are: what a file's text is encoded in is not known here.
  for await (const chunk of output) {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop()!
    for (const line of lines) reader.take(line, true)
    if (rest.length > MAX_LINE_CHUNK) {
      reader.take(rest, false)
      rest = ''
    }
    if (reader.done) break
  }
  return reader.diff
}

class DiffReader {
  readonly #bounds: DiffBounds
  readonly #shows: (file: DiffFile) => boolean
  readonly #files = new DiffFiles()
  readonly #texts = new Map<number, { parts: string[]; bytes: number; truncated: boolean }>()
  #inPatch = false
  /** The file whose text comes; its place may be told again, where its type has changed. */
  #at = 0
  /** Undefined where its text is not wanted, or may not be shown. */
  #text: { parts: string[]; bytes: number; truncated: boolean } | undefined
  #bytes = 0
  #atLineStart = true
  done = false

  constructor(bounds: DiffBounds, shows: (file: DiffFile) => boolean) {
    this.#bounds = bounds
    this.#shows = shows
  }

  get diff(): GitDiff {
    const texts = [...this.#texts].map(([at, { parts, truncated }]): [number, DiffText] => [
      at,
      { text: Buffer.from(parts.join(''), 'latin1').toString('utf8'), truncated }
    ])
    return { files: this.#files.files, texts: new Map(texts) }
  }

  take(line: string, ends: boolean) {
    const begins = this.#atLineStart
    this.#atLineStart = ends
    if (!this.#inPatch && this.#files.take(line)) return
    this.#inPatch = true
    if (begins && isHeading(line)) this.#begin(line)
    this.#add(ends ? `${line}\n` : line)
  }

  #begin(heading: string) {
    const at = this.#files.files.findIndex(({ headings }, i) => i >= this.#at && headings.includes(heading))
    const { offset, limit } = this.#bounds
    this.#text = undefined
    if (at < 0) return
    this.#at = at
    if (at >= offset + limit) this.done = true
    if (at < offset || this.done || !this.#shows(this.#files.files[at]!)) return
    this.#text = this.#texts.get(at) ?? { parts: [], bytes: 0, truncated: false }
    this.#texts.set(at, this.#text)
  }

  #add(part: string) {
    const text = this.#text
    if (!text || text.truncated) return
    const { perFile, total } = this.#bounds
    if (text.bytes + part.length > perFile || this.#bytes + part.length > total) {
      text.truncated = true
      return
    }
    text.parts.push(part)
    text.bytes += part.length
    this.#bytes += part.length
  }
}

/** Lines of a file's text begin with a sign of their own. */
const isHeading = (line: string) => line.startsWith('diff --') || line.startsWith('* Unmerged path ')
