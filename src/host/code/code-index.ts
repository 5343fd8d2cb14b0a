// Search over the code of one workspace: an index that is built in the background once somebody asks, and follows what
// changes from then on. It is asked like any other part of the host; until it is complete it has no answer.
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Config } from '../../config/schema.ts'
import { ToolError } from '../../errors.ts'
import type { Guard } from '../files/policy/path-policy.ts'
import type { Workspace } from '../host.ts'
import type { News, Watcher } from '../watch/watcher.ts'
import type { Embeddings } from './embeddings-client.ts'
import type { Asking, FromIndex, IndexSettings, ToIndex } from './index-worker.ts'
import type { Progress } from './indexer.ts'
import type { RankedFile } from './ranking.ts'
import type { VectorProgress } from './vector-index.ts'

export type { RankedFile } from './ranking.ts'

export interface IndexState {
  /** `off` by configuration; `idle` until somebody asks; `building` until all files were looked at; `ready`; `failed`. */
  state: 'off' | 'idle' | 'building' | 'ready' | 'failed'
  /** Files in the index. */
  indexed: number
  /** Files to be indexed still, or anew. */
  waiting: number
  /** Files that found no room in it. */
  left_out: number
  /** Its size on the disk. */
  bytes: number
  /** Changes are followed as they happen. If not, all files are compared again now and then. */
  following: boolean
  /** When all files were compared last. */
  compared_at?: string
  /** Why it failed. */
  reason?: string
  /** How far the pieces have vectors, where they are to have any. */
  embeddings?: VectorProgress & { model: string; reason?: string }
}

interface CodeAnswer {
  files: RankedFile[]
  index: IndexState
}

interface Terms {
  signal: AbortSignal
  /** How long to wait for an index that is not complete. */
  wait_ms: number
}

const NOT_BEGUN: Progress = { complete: false, files: 0, waiting: 0, left_out: 0, bytes: 0 }
/** Where nothing tells of changes, all files are compared again when somebody asks, but no more often. */
const COMPARE_EVERY_MS = 10_000
/** After a failure it is left alone for a while. */
const AGAIN_AFTER_MS = 60_000
const CLOSING_MS = 2_000

/** Where the index of a root folder is kept. */
export const indexFile = (stateDir: string, root: string): string =>
  path.join(indexFolder(stateDir), `${createHash('sha256').update(root).digest('hex').slice(0, 16)}.db`)

export const indexFolder = (stateDir: string): string => path.join(stateDir, 'index')

export class CodeIndex {
  readonly #workspace: Workspace
  readonly #watcher: Watcher
  readonly #guard: Guard
  readonly #settings: Config['search']
  readonly #embeddings: Embeddings | undefined
  readonly #changed: (state: IndexState) => void
  #worker: Worker | undefined
  #progress = NOT_BEGUN
  #embedded: VectorProgress = { embedded: 0, pieces: 0 }
  readonly #closed = new AbortController()
  #state: IndexState['state']
  #reason: string | undefined
  #failed_at = 0
  #compared = 0
  #following = false
  #off: () => void = () => {}
  #next = 1
  readonly #answers = new Map<number, (answer: RankedFile[] | Error) => void>()
  readonly #waiters = new Set<() => void>()

  /** `changed` hears of each new state. */
  constructor(
    workspace: Workspace,
    watcher: Watcher,
    guard: Guard,
    settings: Config['search'],
    embeddings: Embeddings | undefined,
    changed: (state: IndexState) => void
  ) {
    this.#workspace = workspace
    this.#watcher = watcher
    this.#guard = guard
    this.#settings = settings
    this.#embeddings = embeddings
    this.#changed = changed
    this.#state = settings.index === 'off' ? 'off' : 'idle'
  }

  get state(): IndexState {
    const { files, waiting, left_out, bytes, compared_at } = this.#progress
    return {
      state: this.#state,
      indexed: files,
      waiting,
      left_out,
      bytes,
      following: this.#following && this.#watcher.live,
      ...(compared_at !== undefined && { compared_at }),
      ...(this.#reason !== undefined && { reason: this.#reason }),
      ...(this.#embeddings && { embeddings: { ...this.#embedded, ...this.#embeddings.state } })
    }
  }

  /** Begins to build, or to catch up with what has changed since the last run. */
  start() {
    const again = this.#state === 'failed' && Date.now() - this.#failed_at > AGAIN_AFTER_MS
    if (this.#state !== 'idle' && !again) return
    this.#enter('building')
    this.#begin().catch(error => this.#fail(error))
  }

  /** The files that answer best; undefined while the index is not complete. */
  async ask(asking: Asking, { signal, wait_ms }: Terms): Promise<CodeAnswer | undefined> {
    this.start()
    await this.#complete(wait_ms, signal)
    if (this.#state !== 'ready') return undefined
    if (this.#following) await this.#watcher.settled()
    if (!this.#watcher.live) this.#compareAgain()
    const vector = this.#embedded.embedded > 0 ? await this.#embeddings?.ofQuestion(asking.text, signal) : undefined
    const files = await this.#asked({ ...asking, vector }, signal)
    return files && { files, index: this.state }
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#off()
    this.#state = 'off'
    const worker = this.#worker
    if (!worker) return
    this.#worker = undefined
    const gone = new Promise(resolve => worker.once('exit', resolve))
    worker.postMessage({ close: true } satisfies ToIndex)
    const timer = setTimeout(() => void worker.terminate(), CLOSING_MS)
    await gone
    clearTimeout(timer)
  }

  async #begin() {
    await this.#watcher.start()
    if (this.#state !== 'building') return
    const file = indexFile(this.#guard.stateDir, this.#workspace.root)
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    const { doors: _, ...workspace } = this.#workspace
    const { max_files, max_file_bytes, max_bytes } = this.#settings
    const data: IndexSettings = {
      file,
      workspace,
      guard: this.#guard,
      max_files,
      max_file_bytes,
      max_bytes,
      vectors: this.#vectorSettings()
    }
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const worker = new Worker(new URL(`./index-worker.${extension}`, import.meta.url), {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 }
    })
    worker.on('message', (message: FromIndex) => this.#hear(message))
    worker.on('error', error => this.#fail(error))
    // What it has begun need not be done before the server ends.
    worker.unref()
    this.#worker = worker
    // First the ear, then the look: what comes between is told at least once.
    this.#off = this.#watcher.on(news => this.#note(news))
    this.#following = this.#watcher.live
    this.#compare()
  }

  #compare() {
    this.#compared = Date.now()
    this.#worker?.postMessage({ compare: true } satisfies ToIndex)
  }

  #compareAgain() {
    if (Date.now() - this.#compared > COMPARE_EVERY_MS && this.#progress.waiting === 0) this.#compare()
  }

  #note(news: News) {
    if (!this.#watcher.live) this.#following = false
    this.#worker?.postMessage({ news } satisfies ToIndex)
  }

  async #complete(wait_ms: number, signal: AbortSignal) {
    if (this.#state !== 'building' || wait_ms === 0) return
    signal.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<void>()
    const go = () => resolve()
    const timer = setTimeout(go, wait_ms)
    signal.addEventListener('abort', go)
    this.#waiters.add(go)
    await promise
    this.#waiters.delete(go)
    signal.removeEventListener('abort', go)
    clearTimeout(timer)
    signal.throwIfAborted()
  }

  /** Undefined where the index has failed meanwhile. */
  async #asked(
    ask: Asking & { vector: Float32Array | undefined },
    signal: AbortSignal
  ): Promise<RankedFile[] | undefined> {
    const worker = this.#worker
    if (!worker) return undefined
    const id = this.#next++
    const { promise, resolve } = Promise.withResolvers<RankedFile[] | Error>()
    const aborted = () => resolve(signal.reason)
    signal.addEventListener('abort', aborted)
    this.#answers.set(id, resolve)
    worker.postMessage({ ask, id } satisfies ToIndex)
    const answer = await promise
    this.#answers.delete(id)
    signal.removeEventListener('abort', aborted)
    if (!(answer instanceof Error)) return answer
    signal.throwIfAborted()
    return undefined
  }

  #hear(message: FromIndex) {
    if ('progress' in message) {
      this.#progress = message.progress
      if (message.progress.complete && this.#state === 'building') this.#enter('ready')
    }
    if ('embedding' in message) this.#embedded = message.embedding
    if ('embed' in message) void this.#embed(message.embed, message.id)
    if ('files' in message) this.#answers.get(message.id)?.(message.files)
    else if ('failed' in message && 'id' in message) this.#answers.get(message.id)?.(new Error(message.failed))
    else if ('failed' in message) this.#fail(new Error(message.failed))
  }

  #vectorSettings() {
    if (!this.#embeddings) return undefined
    const { url, model, dimensions, batch, max_pieces } = this.#embeddings.settings
    return { made_by: JSON.stringify([url, model, dimensions ?? null]), batch, max_pieces }
  }

  /** While the endpoint is left alone, whoever asks for vectors is told so at once, and asks again. */
  async #embed(texts: readonly string[], id: number) {
    const { signal } = this.#closed
    const vectors =
      this.#embeddings && this.#embeddings.pause_ms === 0
        ? await this.#embeddings.embed(texts, signal).catch(() => undefined)
        : undefined
    this.#worker?.postMessage({ vectors, id } satisfies ToIndex)
  }

  #fail(error: unknown) {
    if (this.#state === 'off') return
    this.#off()
    const worker = this.#worker
    this.#worker = undefined
    void worker?.terminate()
    this.#failed_at = Date.now()
    this.#reason = (error as Error).message
    this.#progress = NOT_BEGUN
    this.#enter('failed')
    const gone = new ToolError('EXECUTION_ERROR', 'The index has failed.')
    for (const answer of this.#answers.values()) answer(gone)
  }

  #enter(state: IndexState['state']) {
    this.#state = state
    if (state !== 'failed') this.#reason = undefined
    if (state !== 'building') for (const waiter of this.#waiters) waiter()
    this.#changed(this.state)
  }
}
