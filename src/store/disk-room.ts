// Room for the journal on its disk: noticed when it is used up, and when there is some again.
import { ToolError } from '../errors.ts'
import { DiskReserve } from './disk-reserve.ts'

/** Milliseconds between two looks for room on a full disk. */
const CHECK_MS = 1_000

export class DiskRoom {
  readonly #folder: string
  readonly #reserve: DiskReserve
  /** Set while the disk has no room for new work, and while it has none for what runs already either. */
  #lack: { isBlocked: boolean; timer: NodeJS.Timeout } | undefined
  #onChange: (hasRoom: boolean) => void = () => {}

  constructor(folder: string) {
    this.#folder = folder
    this.#reserve = new DiskReserve(folder)
  }

  /** Registers a listener, called when the disk is full, and when there is room again. */
  onChange(listener: (hasRoom: boolean) => void) {
    this.#onChange = listener
  }

  /** Makes the file that keeps some room for what runs and for decisions. */
  makeReserve() {
    if (!this.#lack) this.#reserve.make()
  }

  /** Returns true while writes wait for room. */
  get isBlocked(): boolean {
    return this.#lack?.isBlocked ?? false
  }

  /** Throws DISK_FULL if there is no room for new work, also where the last room is left for what runs already. */
  assertRoom() {
    if (this.#lack || this.#reserve.isDiskFull()) throw this.#fullError()
  }

  /** Throws DISK_FULL if nothing can be written at the moment. */
  assertWritable() {
    if (this.isBlocked || (this.#reserve.isDiskFull() && !this.#reserve.isThere())) throw this.#fullError()
  }

  /** Notes that a write was refused. Calls `retry` at once if the reserve gives room, and then each second until there is some. */
  noteFull(retry: () => void) {
    const isReleased = this.#reserve.release()
    if (this.#lack) this.#lack.isBlocked = !isReleased
    else {
      const timer = setInterval(() => this.#look(retry), CHECK_MS)
      timer.unref()
      this.#lack = { isBlocked: !isReleased, timer }
      this.#onChange(false)
    }
    if (isReleased) retry()
  }

  /** Notes that a write succeeded. */
  noteWritten() {
    if (this.#lack) this.#lack.isBlocked = false
  }

  close() {
    clearInterval(this.#lack?.timer)
    this.#lack = undefined
  }

  #look(retry: () => void) {
    if (this.isBlocked) return retry()
    if (!this.#reserve.make()) return
    this.close()
    this.#onChange(true)
  }

  #fullError() {
    return new ToolError(
      'DISK_FULL',
      `The disk of the state folder ${this.#folder} is full, so nothing was done. Free disk space; the server then ` +
        'continues automatically.',
      { folder: this.#folder, retry_after_s: CHECK_MS / 1_000 }
    )
  }
}
