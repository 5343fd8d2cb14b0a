// The output of a call that still runs, or whose last bytes are on their way to the disk. Pages are appended to as output
// comes, so that a server that dies loses no more than the last moment; what is not on disk yet is read from memory.
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { HEADER_BYTES, type Offsets, Page, type Source } from './capture-page.ts'
import { laterPages, pagePath, storedPage } from './page-files.ts'
import { type OutputPart, type OutputQuery, type PlacedPage, readPart } from './read-output.ts'

const MAX_PAGE_BYTES = 1 << 20
const PAGES_AT_LEAST = 8
/** How long output may wait for more before it goes to the disk, and how much of it. */
const GATHER_MS = 50
const GATHER_BYTES = 262_144
/** From here on whoever writes should wait for the disk. */
const BEHIND_BYTES = 2 << 20
const LAST_BYTES = 131_072
/** The one that is filled and those that are written meanwhile. */
const SPARE_MEMORIES = 3
const ZERO: Offsets = { stdout: 0, stderr: 0, output: 0 }

export interface OutputWriter {
  /** Where the next bytes of each stream go. */
  readonly end: Offsets
  /** More waits for the disk than should. */
  readonly behind: boolean
  append(source: Source, bytes: Uint8Array): void
  /** Resolves once the disk has caught up. */
  caughtUp(): Promise<void>
  /** Nothing more will come, unless it is opened again. */
  close(): void
}

interface KeptPage {
  readonly number: number
  readonly start: Offsets
  /** Undefined once it is full and on disk. */
  page: Page | undefined
  /** Up to where, in bytes of `output`, it is on disk. */
  written: number
  /** It could not be written: when it is full it becomes a hole, told like any other, and the command goes on. */
  lost: boolean
}

const kept = (number: number, page: Page): KeptPage => ({
  number,
  start: page.start,
  page,
  written: page.start.output,
  lost: false
})

export class Live implements OutputWriter {
  readonly #base: string
  readonly #pageBytes: number
  readonly #keptPages: number
  #open = 0
  #stored = () => {}
  /** In order; the last is the one that is appended to. */
  #pages = [kept(0, new Page(ZERO))]
  #page = this.#pages[0]!.page!
  #unwritten = 0
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #file: { of: KeptPage; handle: FileHandle } | undefined
  #dropped: KeptPage[] = []
  #waiting = new Set<() => void>()
  /** Memory of pages that are on disk, for those to come: a fresh megabyte for each would make the server larger by as
   * many as are filled until the next collection of garbage. */
  #spare: Buffer[] = []
  #readers = 0

  constructor(base: string, spillBytes: number) {
    this.#base = base
    this.#pageBytes = Math.max(1, Math.min(MAX_PAGE_BYTES, Math.floor(spillBytes / PAGES_AT_LEAST)))
    this.#keptPages = Math.max(2, Math.floor(spillBytes / this.#pageBytes))
  }

  get ended() {
    return this.#open === 0
  }

  get end(): Offsets {
    return this.#page.end
  }

  get behind() {
    return this.#unwritten > BEHIND_BYTES
  }

  /** One more command writes to it, at once with others or after them. `stored` is called when all have ended and all is
   * on disk. */
  begin(stored: () => void) {
    this.#open += 1
    this.#stored = stored
  }

  append(source: Source, bytes: Uint8Array) {
    if (this.ended || bytes.length === 0) return
    this.#page.append(source, bytes)
    this.#unwritten += bytes.length
    if (this.#page.size >= this.#pageBytes) this.#turn()
    if (this.#unwritten >= GATHER_BYTES) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS)
    this.#wake()
  }

  async caughtUp() {
    while (this.behind) await this.#writing
  }

  close() {
    if (this.ended) return
    this.#open -= 1
    if (!this.ended) return
    this.#wake()
    this.#flush()
  }

  async read(query: OutputQuery): Promise<OutputPart> {
    this.#readers += 1
    try {
      return await readPart(this.#placed(), query, this.ended)
    } finally {
      this.#readers -= 1
    }
  }

  #placed(): PlacedPage[] {
    return this.#pages.map(({ number, start, page }) => ({
      start: () => start,
      load: page ? () => page : storedPage(pagePath(this.#base, number)).load
    }))
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
    // With room for what comes last, which is more than fits.
    const bytes = this.#pageBytes + Math.min(this.#pageBytes, LAST_BYTES)
    this.#page = new Page(this.end, this.#spare.pop() ?? Buffer.allocUnsafeSlow(Math.max(HEADER_BYTES, bytes)))
    this.#pages.push(kept(this.#pages.at(-1)!.number + 1, this.#page))
    if (this.#pages.length <= this.#keptPages) return
    this.#dropped.push(...this.#pages.splice(Math.floor(this.#keptPages / 2), 1))
  }

  #flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
      // What came while the last of it was being put away.
      if (this.#unwritten > 0) this.#flush()
      else if (this.ended) this.#stored()
    })
  }

  // One thing after the other, until nothing is left to do.
  async #write() {
    for (;;) {
      for (const one of this.#dropped.splice(0)) await this.#remove(one)
      const one = this.#pages.find(({ page }) => page)!
      const page = one.page!
      if (one.written < page.end.output) await this.#append(one, page)
      else if (page !== this.#page) await this.#finish(one)
      else break
    }
    if (this.ended) await this.#shut()
  }

  async #append(one: KeptPage, page: Page) {
    const until = page.end.output
    const bytes = page.take()
    try {
      if (!one.lost) await (await this.#opened(one)).appendFile(bytes)
    } catch {
      one.lost = true
    }
    this.#unwritten -= until - one.written
    one.written = until
  }

  async #opened(one: KeptPage): Promise<FileHandle> {
    if (this.#file?.of === one) return this.#file.handle
    await this.#shut()
    const { number, written, start } = one
    if (number === 1) await mkdir(laterPages(this.#base), { mode: 0o700, recursive: true })
    const handle = await open(pagePath(this.#base, number), written > start.output ? 'a' : 'w', 0o600)
    this.#file = { of: one, handle }
    return handle
  }

  /** A full page that is on disk need not be in memory. */
  async #finish(one: KeptPage) {
    if (this.#file?.of === one) await this.#shut()
    this.#reuse(one)
    if (one.lost) this.#pages = this.#pages.filter(other => other !== one)
  }

  /** Whoever reads holds on to pages as they were. */
  #reuse(one: KeptPage) {
    const memory = one.page?.memory
    one.page = undefined
    if (memory && this.#readers === 0 && this.#spare.length < SPARE_MEMORIES) this.#spare.push(memory)
  }

  async #remove(one: KeptPage) {
    if (this.#file?.of === one) await this.#shut()
    if (one.page) this.#unwritten -= one.page.end.output - one.written
    this.#reuse(one)
    await rm(pagePath(this.#base, one.number), { force: true }).catch(() => {})
  }

  async #shut() {
    const file = this.#file
    this.#file = undefined
    await file?.handle.close().catch(() => {})
  }

  #wake() {
    for (const done of [...this.#waiting]) done()
  }
}
