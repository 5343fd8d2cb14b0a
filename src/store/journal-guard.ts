// Guards an open journal in the thread that writes it: its files must stay the same ones, and its marker follows what is
// acknowledged. It never opens the files of the database, since closing one would release the locks of SQLite.
import { closeSync, fdatasyncSync, openSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type JournalMarker, markerPath, overwriteMarker, readMarker, writeMarker } from './journal-marker.ts'
import type { StoreWrite } from './store-schema.ts'

/** Milliseconds between two looks at the files while nothing is written. */
const CHECK_MS = 2_000
const WAL_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** File with what an open journal held when it was found to be deleted or replaced. */
export const rescuedPath = (journalFile: string) => `${journalFile}.rescued`

export class JournalGuard {
  readonly #db: DatabaseSync
  readonly #files: readonly { name: string; stats: Stats }[]
  readonly #log: string
  readonly #marker: number
  #written: JournalMarker
  readonly #timer: NodeJS.Timeout
  /** Minimum size of the write-ahead log, which only a checkpoint may cut. */
  #logBytes: number
  #failure: Error | undefined

  /** `onFailure` is called once the files are found to be gone or others. */
  constructor(file: string, db: DatabaseSync, marker: JournalMarker, onFailure: (error: Error) => void) {
    this.#db = db
    this.#log = `${file}-wal`
    this.#files = [file, this.#log].map(name => ({ name, stats: statSync(name) }))
    this.#logBytes = statSync(this.#log).size
    if (readMarker(file)?.journal !== marker.journal) writeMarker(file, marker)
    this.#written = marker
    this.#marker = openSync(markerPath(file), 'r+')
    overwriteMarker(this.#marker, marker)
    this.#timer = setInterval(() => {
      try {
        this.assertIntact()
      } catch (error) {
        clearInterval(this.#timer)
        onFailure(error as Error)
      }
    }, CHECK_MS)
    this.#timer.unref()
  }

  /** Throws if a file of the journal is gone, is another one, or was cut. Returns the size of the write-ahead log. */
  assertIntact(): number {
    if (this.#failure) throw this.#failure
    let logBytes = 0
    for (const { name, stats } of this.#files) {
      const now = statSync(name, { throwIfNoEntry: false })
      if (now === undefined) this.#failAndRescue(`${name} was deleted or moved while the server was running`)
      else if (now.ino !== stats.ino || now.dev !== stats.dev)
        this.#failAndRescue(`${name} was replaced while the server was running`)
      else if (name === this.#log && now.size < this.#logBytes && now.size < this.#minLogBytes())
        this.#fail(`${name} was truncated while the server was running`)
      if (name === this.#log) logBytes = now.size
    }
    return logBytes
  }

  /** Notes that writes are durable and about to be acknowledged; `record` is the last one of the chain. */
  acknowledge(writes: readonly StoreWrite[], record: JournalMarker['record']) {
    this.#logBytes = this.assertIntact()
    const last = writes.findLast(([name]) => name === 'event')
    const seq = last === undefined ? this.#written.seq : Number(last[1])
    if (seq === this.#written.seq && record?.n === this.#written.record?.n) return
    this.#written = { ...this.#written, seq, record }
    try {
      overwriteMarker(this.#marker, this.#written)
    } catch {
      // An older marker proves less, and is never wrong.
    }
  }

  /** Makes the marker durable. Throws if the files are not the same any more: they must not be written then. */
  close() {
    clearInterval(this.#timer)
    this.assertIntact()
    try {
      fdatasyncSync(this.#marker)
    } catch {
      // As above.
    }
    closeSync(this.#marker)
  }

  /** Returns the size that the log has by its index: a checkpoint of another program may have emptied it. */
  #minLogBytes(): number {
    const { log } = this.#db.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number }
    const { page_size } = this.#db.prepare('PRAGMA page_size').get() as { page_size: number }
    return log > 0 ? WAL_HEADER_BYTES + log * (FRAME_HEADER_BYTES + page_size) : 0
  }

  /** Stores what the open files still hold, although their names are gone. */
  #failAndRescue(message: string): never {
    const rescued = rescuedPath(this.#files[0]!.name)
    const partial = `${rescued}.next`
    try {
      rmSync(partial, { force: true })
      this.#db.prepare('VACUUM INTO ?').run(partial)
      renameSync(partial, rescued)
    } catch {
      // The folder is gone too, or the disk is full.
    }
    this.#fail(message)
  }

  #fail(message: string): never {
    this.#failure = new Error(`${message}: stop the server, and run toolgate journal check`)
    throw this.#failure
  }
}
