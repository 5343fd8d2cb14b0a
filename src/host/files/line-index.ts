// Index of line offsets in large files: the number of lines before each mebibyte, as far as it was read. Cached by the file's
// fingerprint, so that the next part of the same file is found at once.
import { createHash } from 'node:crypto'
import type { Encoding } from '../../text/encoding.ts'
import { afterNewline, countNewlines, endsWithNewline } from '../../text/newlines.ts'
import { isRacyStat, statFingerprint } from './fingerprint.ts'
import type { OpenFile } from './open-file.ts'

const STEP = 1 << 20
const MAX_FILES = 64

/** LRU cache of the line indexes of the server's files. */
export class LineIndexes {
  readonly #cache = new Map<string, LineIndex>()

  /** Returns the index of a file's current version. */
  get(file: OpenFile, encoding: Encoding): LineIndex {
    const key = `${encoding}:${statFingerprint(file.stat)}`
    const index = this.#cache.get(key) ?? new LineIndex(encoding)
    this.#cache.delete(key)
    // A file that changed just now may change again without a trace, so it is not cached.
    if (!isRacyStat(file.stat)) this.#cache.set(key, index)
    if (this.#cache.size > MAX_FILES) this.#cache.delete(this.#cache.keys().next().value!)
    return index
  }
}

/** Totals of a file that was read to its end. */
interface FileTotals {
  total: number
  hash: string
}

export class LineIndex {
  readonly #encoding: Encoding
  /** Number of line feeds before each step. */
  readonly #newlinesBefore = [0]
  /** Known once the file was read to its end. */
  total: number | undefined
  #hash: string | undefined

  constructor(encoding: Encoding) {
    this.#encoding = encoding
  }

  /** Reads the file to its end, unless that was done before. */
  async readTotals(file: OpenFile, signal: AbortSignal): Promise<FileTotals> {
    if (this.total !== undefined && this.#hash !== undefined) return { total: this.total, hash: this.#hash }
    const digest = createHash('sha256')
    const chunk = Buffer.allocUnsafeSlow(STEP)
    for (let step = 0; step * STEP < file.size; step++) {
      const bytes = await file.read(chunk, step * STEP, signal)
      digest.update(bytes)
      this.#recordStep(step, bytes, file)
    }
    this.total ??= 0
    this.#hash = `sha256:${digest.digest('hex')}`
    return { total: this.total, hash: this.#hash }
  }

  /** Returns the offset of a line, counted from 1; undefined if the file has fewer lines. Reads no further than that line. */
  async startOf(line: number, file: OpenFile, signal: AbortSignal): Promise<number | undefined> {
    if (line === 1) return file.size > 0 ? 0 : undefined
    const chunk = Buffer.allocUnsafeSlow(STEP)
    // The number of line feeds before a line equals the number of lines before it.
    const feeds = line - 1
    while (this.#newlinesBefore.at(-1)! < feeds) {
      const step = this.#newlinesBefore.length - 1
      if (step * STEP >= file.size) return undefined
      this.#recordStep(step, await file.read(chunk, step * STEP, signal), file)
    }
    const step = lastIndexBelow(this.#newlinesBefore, feeds)
    const bytes = await file.read(chunk, step * STEP, signal)
    const start = step * STEP + afterNewline(bytes, this.#encoding, feeds - this.#newlinesBefore[step]!)
    return start < file.size ? start : undefined
  }

  /** Returns the offset of the n-th last line; 0 if the file has fewer lines. Reads from the end, no further than that line. */
  async startFromEnd(n: number, file: OpenFile, signal: AbortSignal): Promise<number> {
    const chunk = Buffer.allocUnsafeSlow(STEP)
    let feeds = n
    for (let step = Math.ceil(file.size / STEP) - 1; step >= 0; step--) {
      const bytes = await file.read(chunk, step * STEP, signal)
      const isLast = (step + 1) * STEP >= file.size
      // A line feed at the very end begins no line.
      if (isLast && endsWithNewline(bytes, this.#encoding)) feeds++
      const count = countNewlines(bytes, this.#encoding)
      if (feeds <= count) return step * STEP + afterNewline(bytes, this.#encoding, count - feeds + 1)
      feeds -= count
    }
    return 0
  }

  /** Concurrent readers may read the same step; it counts once. */
  #recordStep(step: number, bytes: Buffer, file: OpenFile) {
    const feeds = this.#newlinesBefore[step]! + countNewlines(bytes, this.#encoding)
    if (this.#newlinesBefore.length === step + 1) this.#newlinesBefore.push(feeds)
    if ((step + 1) * STEP >= file.size) this.total = feeds + (endsWithNewline(bytes, this.#encoding) ? 0 : 1)
  }
}

/** Returns the last index of a sorted list whose number is less. */
function lastIndexBelow(sorted: readonly number[], number: number): number {
  let [low, high] = [0, sorted.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (sorted[middle]! < number) low = middle
    else high = middle - 1
  }
  return low
}
