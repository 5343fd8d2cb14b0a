// The full captured output of calls, by byte offset, kept in pages as files. When a call's output grows past its limit,
// the oldest page after the first half is dropped, so that the beginning and the end remain and the hole between them
// is told.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Live, type OutputWriter } from './live-output.ts'
import { baseOf, callOf, storedPages } from './page-files.ts'
import { type OutputPart, type OutputQuery, readPart } from './read-output.ts'

export type { OutputWriter } from './live-output.ts'

export class Outputs {
  readonly #folder: string
  readonly #spillBytes: number
  #live = new Map<string, Live>()
  #idle: (() => void)[] = []
  /** Those who wait for a call's first command, or its next. */
  readonly #awaited = new Map<string, Set<() => void>>()

  constructor(folder: string, limits: { spill_bytes: number }) {
    this.#folder = folder
    this.#spillBytes = limits.spill_bytes
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  /** The output of a call that one more command writes to. `earlier` is the writer that a command before it had, on
   * whose output it follows. */
  open(callId: string, earlier?: OutputWriter): OutputWriter {
    const live = earlier instanceof Live ? earlier : new Live(baseOf(this.#folder, callId), this.#spillBytes)
    this.#live.set(callId, live)
    live.begin(() => {
      if (this.#live.get(callId) === live) this.#live.delete(callId)
      if (this.#live.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
    })
    for (const resolve of this.#awaited.get(callId) ?? []) resolve()
    return live
  }

  /** Resolves when a command of the call begins, or the signal aborts. */
  async opened(callId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#awaited.get(callId) ?? new Set()
    this.#awaited.set(callId, waiting.add(resolve))
    const leave = () => resolve()
    signal.addEventListener('abort', leave)
    await promise
    signal.removeEventListener('abort', leave)
    waiting.delete(resolve)
    if (waiting.size === 0 && this.#awaited.get(callId) === waiting) this.#awaited.delete(callId)
  }

  /** Resolves once all that was captured is on disk, which takes the end of every open output. */
  stored(): Promise<void> {
    return this.#live.size === 0 ? Promise.resolve() : new Promise(resolve => this.#idle.push(resolve))
  }

  /** Part of a call's output; undefined when nothing was captured of it. */
  async read(callId: string, query: OutputQuery): Promise<OutputPart | undefined> {
    const live = this.#live.get(callId)
    if (live && !live.ended && query.wait_ms > 0 && query.offset >= live.end[query.stream])
      await live.grown(query.wait_ms, query.signal)
    if (live) return live.read(query)
    const pages = await storedPages(baseOf(this.#folder, callId))
    return pages.length > 0 ? readPart(pages, query, true) : undefined
  }

  /** How much was captured so far, in bytes, while more may come; 0 of any other call. */
  printed(callId: string): number {
    return this.#live.get(callId)?.end.output ?? 0
  }

  /** How much was captured, in bytes. */
  async size(callId: string): Promise<number> {
    const live = this.#live.get(callId)
    if (live) return live.end.output
    const pages = await storedPages(baseOf(this.#folder, callId))
    return (await pages.at(-1)?.load())?.end.output ?? 0
  }

  /** Removes what no kept call owns. */
  sweep(keep: (callId: string) => boolean) {
    for (const name of readdirSync(this.#folder)) {
      const callId = callOf(name)
      if (!this.#live.has(callId) && !keep(callId)) rmSync(join(this.#folder, name), { recursive: true, force: true })
    }
  }
}
