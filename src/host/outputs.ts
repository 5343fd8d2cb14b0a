// The full captured output of calls, by byte offset. It is kept in pages: the one being written in memory, the full
// ones as files. When a call's output grows past its limit, the oldest page after the first half is dropped, so that
// the beginning and the end remain and the hole between them is told.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFile, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Offsets, Page, type Source, type Stream } from './outputs-page.ts'

const MAX_PAGE_BYTES = 1 << 20
const PAGES_AT_LEAST = 8
const LONGEST_CHARACTER = 4
const ZERO: Offsets = { stdout: 0, stderr: 0, output: 0 }

export interface OutputQuery {
  stream: Stream
  /** In bytes of that stream. */
  offset: number
  limit: number
  /** How long to wait for bytes when there are none yet and the output has not ended. */
  wait_ms: number
  signal?: AbortSignal
}

export interface OutputPart {
  /** Whole characters only; what is not UTF-8 shows as replacement characters. */
  text: string
  /** Where `text` begins: the offset asked for, or later when bytes there were dropped. */
  offset: number
  next_offset: number
  /** Nothing follows `next_offset`, now or later. */
  ended: boolean
  /** The hole that was skipped. */
  dropped?: { from: number; bytes: number }
}

export interface OutputWriter {
  /** Keeps the bytes; they must not be changed afterwards. */
  append(source: Source, bytes: Uint8Array): void
  end(): void
}

export class Outputs {
  readonly #folder: string
  readonly #spillBytes: number
  #live = new Map<string, Live>()
  #idle: (() => void)[] = []

  constructor(folder: string, limits: { spill_bytes: number }) {
    this.#folder = folder
    this.#spillBytes = limits.spill_bytes
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  open(callId: string): OutputWriter {
    const live = new Live(this.#base(callId), this.#spillBytes, () => {
      if (this.#live.get(callId) === live) this.#live.delete(callId)
      if (this.#live.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
    })
    this.#live.set(callId, live)
    return live
  }

  /** Resolves once all that was captured is on disk, which takes the end of every open output. */
  stored(): Promise<void> {
    return this.#live.size === 0 ? Promise.resolve() : new Promise(resolve => this.#idle.push(resolve))
  }

  /** Part of a call's output; undefined when nothing was captured of it. */
  async read(callId: string, query: OutputQuery): Promise<OutputPart | undefined> {
    const live = this.#live.get(callId)
    if (live && !live.ended && query.wait_ms > 0 && query.offset >= live.length(query.stream))
      await live.grown(query.wait_ms, query.signal)
    if (live) return part(live.pages(), query, live.ended)
    const pages = this.#stored(callId)
    return pages && part(pages, query, true)
  }

  remove(callId: string) {
    this.#live.delete(callId)
    for (const path of [firstPage(this.#base(callId)), laterPages(this.#base(callId))]) removeAll(path)
  }

  /** Removes what no kept call owns. */
  sweep(keep: (callId: string) => boolean) {
    for (const name of readdirSync(this.#folder)) {
      const callId = decodeURIComponent(name.replace(SUFFIX, ''))
      if (!this.#live.has(callId) && !keep(callId)) removeAll(join(this.#folder, name))
    }
  }

  #stored(callId: string): Iterable<Page> | undefined {
    const base = this.#base(callId)
    const first = readPage(firstPage(base))
    return first && chain(first, numbersIn(laterPages(base)), number => readPage(pagePath(base, number)))
  }

  // Call ids may be chosen by a client, so names are encoded, and never bare.
  #base(callId: string) {
    return join(this.#folder, encodeURIComponent(callId))
  }
}

// Most calls have one page, a file. Those with more have a folder for the rest, numbered, with holes where one was dropped.
const SUFFIX = /\.(out|pages)$/
const firstPage = (base: string) => `${base}.out`
const laterPages = (base: string) => `${base}.pages`
const pagePath = (base: string, number: number) =>
  number === 0 ? firstPage(base) : join(laterPages(base), `${number}`)
const removeAll = (path: string) => rmSync(path, { recursive: true, force: true })

function numbersIn(folder: string) {
  try {
    return readdirSync(folder)
      .map(Number)
      .sort((a, b) => a - b)
  } catch {
    return []
  }
}

/** The output of a call that still runs, or whose last page is on its way to the disk. */
class Live implements OutputWriter {
  ended = false
  readonly #base: string
  readonly #pageBytes: number
  readonly #keptPages: number
  readonly #stored: () => void
  #numbers: number[] = []
  #next = 0
  #page = new Page(ZERO)
  #waiting = new Set<() => void>()

  constructor(base: string, spillBytes: number, stored: () => void) {
    this.#base = base
    this.#pageBytes = Math.max(1, Math.min(MAX_PAGE_BYTES, Math.floor(spillBytes / PAGES_AT_LEAST)))
    this.#keptPages = Math.max(2, Math.floor(spillBytes / this.#pageBytes))
    this.#stored = stored
  }

  append(source: Source, bytes: Uint8Array) {
    if (this.ended) return
    this.#page.append(source, bytes)
    if (this.#page.size >= this.#pageBytes) this.#turn()
    this.#wake()
  }

  end() {
    if (this.ended) return
    this.ended = true
    this.#wake()
    // Read from memory until the last page is on disk, so that ending costs no wait.
    const whole = Buffer.concat(this.#page.encode())
    if (this.#next === 1) mkdirSync(laterPages(this.#base), { mode: 0o700, recursive: true })
    writeFile(pagePath(this.#base, this.#next), whole, { mode: 0o600 }, this.#stored)
  }

  length(stream: Stream) {
    return this.#page.end[stream]
  }

  pages(): Iterable<Page> {
    const own = this.#page
    const [first = this.#next, ...more] = this.#numbers
    const load = (number: number) => (number === this.#next ? own : readPage(pagePath(this.#base, number)))
    const last = this.#numbers.length > 0 ? [...more, this.#next] : []
    return chain(load(first) ?? own, last, load)
  }

  /** Resolves at the next byte, the end, or after the wait. */
  grown(waitMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, waitMs)
      this.#waiting.add(done)
      if (signal?.aborted) done()
      else signal?.addEventListener('abort', done)
    })
  }

  #turn() {
    // What can't be written is a hole, told like any other; the command goes on.
    if (this.#written(this.#next)) this.#numbers.push(this.#next)
    this.#next += 1
    this.#page = new Page(this.#page.end)
    // The page in memory counts as one.
    if (this.#numbers.length < this.#keptPages) return
    const [dropped] = this.#numbers.splice(Math.floor(this.#keptPages / 2), 1)
    if (dropped !== undefined) removeAll(pagePath(this.#base, dropped))
  }

  #written(number: number): boolean {
    try {
      if (number === 1) mkdirSync(laterPages(this.#base), { mode: 0o700, recursive: true })
      writeFileSync(pagePath(this.#base, number), Buffer.concat(this.#page.encode()), { mode: 0o600 })
      return true
    } catch {
      return false
    }
  }

  #wake() {
    for (const done of [...this.#waiting]) done()
  }
}

function* chain(first: Page, numbers: readonly number[], load: (number: number) => Page | undefined) {
  yield first
  for (const number of numbers) {
    const page = load(number)
    if (page) yield page
  }
}

function part(pages: Iterable<Page>, { stream, offset, limit }: OutputQuery, over: boolean): OutputPart {
  const atMost = Math.max(limit, LONGEST_CHARACTER)
  const found: Uint8Array[] = []
  let start = offset
  let length = 0
  let end = 0
  let dropped: OutputPart['dropped']
  let atHole = false
  for (const page of pages) {
    const hole = page.start[stream] > Math.max(end, start + length)
    // A hole ends a text that has begun; the next read starts behind it.
    atHole = hole && length > 0
    if (atHole) break
    if (hole) {
      const from = Math.max(start, end)
      dropped = { from, bytes: page.start[stream] - from }
      start = page.start[stream]
    }
    end = page.end[stream]
    for (const one of page.read(stream, start + length, atMost - length)) {
      found.push(one)
      length += one.length
    }
    if (start + length < end) break
  }
  const reachedEnd = !atHole && start + length >= end
  const bytes = Buffer.concat(found, length)
  // The first bytes of a character wait for its rest, unless no rest can come.
  const taken = atHole || (over && reachedEnd) ? length : length - unfinished(bytes)
  return {
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, taken)),
    offset: start,
    next_offset: start + taken,
    ended: over && reachedEnd,
    ...(dropped && { dropped })
  }
}

/** How many bytes at the end belong to a character that is not complete. */
export function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return needed > back ? back : 0
  }
  return 0
}

function readPage(path: string): Page | undefined {
  try {
    return Page.decode(readFileSync(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
