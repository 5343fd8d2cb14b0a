// Reads a diff as printed by git: first the files, then the patches of those that are requested and may be revealed, up to the
// limits. The rest of the output is not awaited.
import { type DiffFile, DiffFiles } from './diff-files.ts'

export interface DiffBounds {
  /** The files whose patches are requested, by index. */
  offset: number
  limit: number
  /** Maximum number of bytes per file, and in total. */
  perFile: number
  total: number
}

export interface DiffText {
  text: string
  truncated: boolean
}

interface GitDiff {
  files: DiffFile[]
  /** By file index. */
  texts: ReadonlyMap<number, DiffText>
}

/** Maximum line length before a line is processed in chunks. */
const MAX_LINE_CHUNK = 1 << 20

/** `shows` checks if the content of a file may be revealed. */
export async function readDiff(
  output: AsyncIterable<Buffer>,
  bounds: DiffBounds,
  shows: (file: DiffFile) => boolean
): Promise<GitDiff> {
  const reader = new DiffReader(bounds, shows)
  let rest = ''
  // Raw bytes: the encoding of a file's text is unknown here.
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
  /** Index of the current file; it may occur twice, if its type has changed. */
  #at = 0
  /** Undefined if its patch is not requested, or must not be revealed. */
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

/** Lines of a patch begin with other characters. */
const isHeading = (line: string) => line.startsWith('diff --') || line.startsWith('* Unmerged path ')
