// The output of a running call, or of one whose last bytes are still being written. Pages are appended to as output arrives, so
// that a crash of the server loses only the last moment; unwritten bytes are read from memory.
import { closeSync, openSync, writeSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { getDiskSpace } from '../../disk-space.ts'
import { writeAll } from '../../files/write-content.ts'
import { CapturePage, PAGE_HEADER_BYTES, type StdStream, type StreamOffsets } from './capture-page.ts'
import { laterPagesFolder, pagePath, storedPage } from './page-files.ts'
import { type OutputPart, type OutputReadOptions, type PageHandle, readOutputPart } from './read-output.ts'

const MAX_PAGE_BYTES = 1 << 20
const MIN_PAGES = 8
/** Time and amount for which output is batched before it is written to disk. */
const GATHER_MS = 50
const GATHER_BYTES = 262_144
/** Backpressure threshold: beyond it, writers should wait for the disk. */
const MAX_UNWRITTEN_BYTES = 2 << 20
/** Up to this many bytes, a synchronous write is faster than a trip to the thread pool. */
const MAX_SYNC_BYTES = 16_384
const LAST_CHUNK_ROOM_BYTES = 131_072
/** One page buffer being filled, and those being written. */
const MAX_SPARE_BUFFERS = 3
const ZERO_OFFSETS: StreamOffsets = { stdout: 0, stderr: 0, output: 0 }

export interface OutputWriter {
  /** Offset of the next bytes of each stream. */
  readonly end: StreamOffsets
  /** More bytes than the threshold are unwritten. */
  readonly isBehind: boolean
  append(source: StdStream, bytes: Uint8Array): void
  /** Resolves once the disk has caught up. */
  caughtUp(): Promise<void>
  /** Ends the output, unless it is opened again. */
  close(): void
}

interface PageState {
  readonly number: number
  readonly start: StreamOffsets
  /** Undefined once it is full and on disk. */
  page: CapturePage | undefined
  /** Number of bytes of `output` that are on disk. */
  written: number
  /** It could not be written: when full it becomes a gap, reported like any other, and the command goes on. */
  isLost: boolean
}

const newPageState = (number: number, page: CapturePage): PageState => ({
  number,
  start: page.start,
  page,
  written: page.start.output,
  isLost: false
})

/** Captured output is written, whatever happens to the call. */
const NEVER_ABORTED = new AbortController().signal

async function appendBytes(fd: number, bytes: Uint8Array) {
  if (bytes.length > MAX_SYNC_BYTES) return writeAll(fd, bytes, NEVER_ABORTED)
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}

export class LiveOutput implements OutputWriter {
  readonly #base: string
  readonly #pageBytes: number
  readonly #maxPages: number
  #open = 0
  #onStored = () => {}
  /** In order; the last is the one that is appended to. */
  #pages = [newPageState(0, new CapturePage(ZERO_OFFSETS))]
  #page = this.#pages[0]!.page!
  #unwritten = 0
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #file: { of: PageState; fd: number } | undefined
  #dropped: PageState[] = []
  #waiting = new Set<() => void>()
  /**
   * Buffers of written pages, for reuse: allocating a megabyte per page would grow the server by all pages filled until the next
   * garbage collection.
   */
  #spareBuffers: Buffer[] = []
  #readers = 0

  constructor(base: string, spillBytes: number) {
    this.#base = base
    this.#pageBytes = Math.max(1, Math.min(MAX_PAGE_BYTES, Math.floor(spillBytes / MIN_PAGES)))
    this.#maxPages = Math.max(2, Math.floor(spillBytes / this.#pageBytes))
  }

  get ended() {
    return this.#open === 0
  }

  get end(): StreamOffsets {
    return this.#page.end
  }

  get isBehind() {
    return this.#unwritten > MAX_UNWRITTEN_BYTES
  }

  /**
   * Registers one more command that writes to it, concurrently with others or after them. `stored` is called when all have ended
   * and everything is on disk.
   */
  begin(stored: () => void) {
    this.#open += 1
    this.#onStored = stored
  }

  append(source: StdStream, bytes: Uint8Array) {
    if (this.ended || bytes.length === 0) return
    this.#page.append(source, bytes)
    this.#unwritten += bytes.length
    if (this.#page.size >= this.#pageBytes) this.#startPage()
    if (this.#unwritten >= GATHER_BYTES) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS)
    this.#wake()
  }

  async caughtUp() {
    while (this.isBehind) await this.#writing
  }

  close() {
    if (this.ended) return
    this.#open -= 1
    if (!this.ended) return
    this.#wake()
    this.#flush()
  }

  async read(query: OutputReadOptions): Promise<OutputPart> {
    this.#readers += 1
    try {
      return await readOutputPart(this.#pageHandles(), query, this.ended)
    } finally {
      this.#readers -= 1
    }
  }

  #pageHandles(): PageHandle[] {
    return this.#pages.map(({ number, start, page }) => ({
      start: () => start,
      load: page ? () => page : storedPage(pagePath(this.#base, number)).load
    }))
  }

  /** Resolves at the next byte, the end, or after the wait. */
  waitForGrowth(waitMs: number, signal?: AbortSignal): Promise<void> {
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

  #startPage() {
    // Leaves room for a last chunk that exceeds the page size.
    const bytes = this.#pageBytes + Math.min(this.#pageBytes, LAST_CHUNK_ROOM_BYTES)
    this.#page = new CapturePage(
      this.end,
      this.#spareBuffers.pop() ?? Buffer.allocUnsafeSlow(Math.max(PAGE_HEADER_BYTES, bytes))
    )
    this.#pages.push(newPageState(this.#pages.at(-1)!.number + 1, this.#page))
    if (this.#pages.length <= this.#maxPages) return
    this.#dropped.push(...this.#pages.splice(Math.floor(this.#maxPages / 2), 1))
  }

  #flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
      // Bytes that arrived while the last ones were being written.
      if (this.#unwritten > 0) this.#flush()
      else if (this.ended) this.#onStored()
    })
  }

  // Runs pending writes one after the other, until none is left.
  async #write() {
    for (;;) {
      for (const one of this.#dropped.splice(0)) await this.#remove(one)
      const one = this.#pages.find(({ page }) => page)!
      const page = one.page!
      if (one.written < page.end.output) await this.#append(one, page)
      else if (page !== this.#page) this.#finish(one)
      else break
    }
    if (this.ended) this.#closeFile()
  }

  async #append(one: PageState, page: CapturePage) {
    const until = page.end.output
    const bytes = page.takeUnwritten()
    try {
      one.isLost ||= !hasRoom(this.#base, bytes.length)
      if (!one.isLost) await appendBytes(await this.#openFile(one), bytes)
    } catch {
      one.isLost = true
    }
    this.#unwritten -= until - one.written
    one.written = until
  }

  async #openFile(one: PageState): Promise<number> {
    if (this.#file?.of === one) return this.#file.fd
    this.#closeFile()
    const { number, written, start } = one
    if (number === 1) await mkdir(laterPagesFolder(this.#base), { mode: 0o700, recursive: true })
    const fd = openSync(pagePath(this.#base, number), written > start.output ? 'a' : 'w', 0o600)
    this.#file = { of: one, fd }
    return fd
  }

  /** Releases a full page from memory once it is on disk. */
  #finish(one: PageState) {
    if (this.#file?.of === one) this.#closeFile()
    this.#recycle(one)
    if (one.isLost) this.#pages = this.#pages.filter(other => other !== one)
  }

  /** Readers hold on to pages, so their buffers are not reused. */
  #recycle(one: PageState) {
    const memory = one.page?.buffer
    one.page = undefined
    if (memory && this.#readers === 0 && this.#spareBuffers.length < MAX_SPARE_BUFFERS) this.#spareBuffers.push(memory)
  }

  async #remove(one: PageState) {
    if (this.#file?.of === one) this.#closeFile()
    if (one.page) this.#unwritten -= one.page.end.output - one.written
    this.#recycle(one)
    await rm(pagePath(this.#base, one.number), { force: true }).catch(() => {})
  }

  #closeFile() {
    const file = this.#file
    this.#file = undefined
    try {
      if (file) closeSync(file.fd)
    } catch {
      // Its bytes were written.
    }
  }

  #wake() {
    for (const done of [...this.#waiting]) done()
  }
}

/** Returns false where output would take from the reserve of the disk, which is kept for decisions: the journal needs it. */
function hasRoom(base: string, bytes: number): boolean {
  const space = getDiskSpace(dirname(base))
  return space === undefined || space.free - bytes > space.reserve
}
