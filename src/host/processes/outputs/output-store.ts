// Stores the full captured output of calls on disk, by byte offset, in page files. When a long output exceeds its limit, it is
// cut in the middle: the oldest page after the first half is dropped, so that the beginning and the end remain and the gap
// between them is reported.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LiveOutput, type OutputWriter } from './live-output.ts'
import { callIdOfFile, listStoredPages, outputBasePath, storedFiles } from './page-files.ts'
import { type OutputPart, type OutputReadOptions, readOutputPart } from './read-output.ts'

export class OutputStore {
  readonly #folder: string
  readonly #spillBytes: number
  #live = new Map<string, LiveOutput>()
  #idleWaiters: (() => void)[] = []
  /** Waiters for a call's first command, or its next. */
  readonly #openWaiters = new Map<string, Set<() => void>>()

  constructor(folder: string, limits: { spill_bytes: number }) {
    this.#folder = folder
    this.#spillBytes = limits.spill_bytes
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  /**
   * Opens the output of a call for one more command. `earlier` is the writer of a previous command, after whose output it
   * continues.
   */
  open(callId: string, earlier?: OutputWriter): OutputWriter {
    const live =
      earlier instanceof LiveOutput ? earlier : new LiveOutput(outputBasePath(this.#folder, callId), this.#spillBytes)
    this.#live.set(callId, live)
    live.begin(() => {
      if (this.#live.get(callId) === live) this.#live.delete(callId)
      if (this.#live.size === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve()
    })
    for (const resolve of this.#openWaiters.get(callId) ?? []) resolve()
    return live
  }

  /** Resolves when a command of the call begins, or the signal aborts. */
  async opened(callId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#openWaiters.get(callId) ?? new Set()
    this.#openWaiters.set(callId, waiting.add(resolve))
    const leave = () => resolve()
    signal.addEventListener('abort', leave)
    await promise
    signal.removeEventListener('abort', leave)
    waiting.delete(resolve)
    if (waiting.size === 0 && this.#openWaiters.get(callId) === waiting) this.#openWaiters.delete(callId)
  }

  /** Resolves once all captured output is on disk, which requires the end of every open output. */
  flushed(): Promise<void> {
    return this.#live.size === 0 ? Promise.resolve() : new Promise(resolve => this.#idleWaiters.push(resolve))
  }

  /** Reads part of a call's output; undefined if none was captured. */
  async read(callId: string, query: OutputReadOptions): Promise<OutputPart | undefined> {
    const live = this.#live.get(callId)
    if (live && !live.ended && query.wait_ms > 0 && query.offset >= live.end[query.stream])
      await live.waitForGrowth(query.wait_ms, query.signal)
    if (live) return live.read(query)
    const pages = await listStoredPages(outputBasePath(this.#folder, callId))
    return pages.length > 0 ? readOutputPart(pages, query, true) : undefined
  }

  /** Returns the number of bytes captured so far while more may come; 0 for any other call. */
  printed(callId: string): number {
    return this.#live.get(callId)?.end.output ?? 0
  }

  /** Returns the number of captured bytes. */
  async size(callId: string): Promise<number> {
    const live = this.#live.get(callId)
    if (live) return live.end.output
    const pages = await listStoredPages(outputBasePath(this.#folder, callId))
    return (await pages.at(-1)?.load())?.end.output ?? 0
  }

  /** Removes the output of a call that has ended. */
  async remove(callId: string): Promise<void> {
    const base = outputBasePath(this.#folder, callId)
    for (const file of storedFiles(base)) await rm(file, { recursive: true, force: true })
  }

  /** Removes the outputs of calls that are no longer stored. */
  sweep(keep: (callId: string) => boolean) {
    for (const name of readdirSync(this.#folder)) {
      const callId = callIdOfFile(name)
      if (!this.#live.has(callId) && !keep(callId)) rmSync(join(this.#folder, name), { recursive: true, force: true })
    }
  }
}
