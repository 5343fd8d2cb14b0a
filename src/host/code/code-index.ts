// Semantic code search of one workspace: an index that is built in the background on first use, and updated with changes from
// then on. Until it is complete it returns no results.
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Config } from '../../config/schema.ts'
import { ToolError } from '../../errors.ts'
import type { PathGuard } from '../files/policy/path-policy.ts'
import type { WatchEvents, Watcher } from '../watch/watcher.ts'
import type { Workspace } from '../workspace.ts'
import type { EmbeddingsClient } from './embeddings-client.ts'
import type { CodeQuery, IndexWorkerData, IndexWorkerMessage, IndexWorkerRequest } from './index-worker.ts'
import type { IndexProgress } from './indexer.ts'
import type { RankedFile } from './ranking.ts'
import type { VectorProgress } from './vector-index.ts'

export interface IndexState {
  /** `off` by configuration; `idle` until the first request; `building` until all files were scanned; `ready`; `failed`. */
  state: 'off' | 'idle' | 'building' | 'ready' | 'failed'
  /** Number of indexed files. */
  indexed: number
  /** Number of files waiting to be indexed or updated. */
  waiting: number
  /** Number of files that exceed the index's limits. */
  left_out: number
  /** Size on disk. */
  bytes: number
  /** Changes are followed as they happen. If not, all files are compared periodically. */
  following: boolean
  /** Time of the last complete comparison. */
  compared_at?: string
  /** Reason of a failure. */
  reason?: string
  /** Progress of the embeddings, if enabled. */
  embeddings?: VectorProgress & { model: string; reason?: string }
}

interface CodeSearchResult {
  files: RankedFile[]
  index: IndexState
}

interface CodeSearchOptions {
  signal: AbortSignal
  /** Time to wait for an incomplete index, in milliseconds. */
  waitMs: number
  /** Receives the state when the wait begins, and then as the build proceeds. */
  onBuilding?: (state: IndexState) => void
}

const NO_PROGRESS: IndexProgress = { complete: false, files: 0, waiting: 0, left_out: 0, bytes: 0 }
/** Without change events, all files are compared again on requests, but at most this often. */
const MIN_RESCAN_INTERVAL_MS = 10_000
/** Delay after a failure. */
const RETRY_AFTER_MS = 60_000
const CLOSE_TIMEOUT_MS = 2_000

/** Returns the index file of a root folder. */
export const indexFile = (stateDir: string, root: string): string =>
  path.join(indexFolder(stateDir), `${createHash('sha256').update(root).digest('hex').slice(0, 16)}.db`)

export const indexFolder = (stateDir: string): string => path.join(stateDir, 'index')

export class CodeIndex {
  readonly #workspace: Workspace
  readonly #watcher: Watcher
  readonly #guard: PathGuard
  readonly #settings: Config['search']
  readonly #embeddings: EmbeddingsClient | undefined
  readonly #onStateChange: (state: IndexState) => void
  #worker: Worker | undefined
  #progress = NO_PROGRESS
  #vectorProgress: VectorProgress = { embedded: 0, pieces: 0 }
  readonly #closed = new AbortController()
  #state: IndexState['state']
  #reason: string | undefined
  #failedAt = 0
  #rescannedAt = Number.NEGATIVE_INFINITY
  #isFollowing = false
  #unsubscribe: () => void = () => {}
  #nextId = 1
  readonly #pendingAnswers = new Map<number, (answer: RankedFile[] | Error) => void>()
  readonly #waiters = new Set<() => void>()
  readonly #buildListeners = new Set<(state: IndexState) => void>()

  /** `changed` is called with each new state. */
  constructor(
    workspace: Workspace,
    watcher: Watcher,
    guard: PathGuard,
    settings: Config['search'],
    embeddings: EmbeddingsClient | undefined,
    changed: (state: IndexState) => void
  ) {
    this.#workspace = workspace
    this.#watcher = watcher
    this.#guard = guard
    this.#settings = settings
    this.#embeddings = embeddings
    this.#onStateChange = changed
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
      following: this.#isFollowing && this.#watcher.isLive,
      ...(compared_at !== undefined && { compared_at }),
      ...(this.#reason !== undefined && { reason: this.#reason }),
      ...(this.#embeddings && { embeddings: { ...this.#vectorProgress, ...this.#embeddings.state } })
    }
  }

  /** Starts to build, or to catch up with changes since the last run. */
  start() {
    const again = this.#state === 'failed' && performance.now() - this.#failedAt > RETRY_AFTER_MS
    if (this.#state !== 'idle' && !again) return
    this.#setState('building')
    this.#startWorker().catch(error => this.#fail(error))
  }

  /** Returns the best matching files; undefined while the index is incomplete. */
  async search(asking: CodeQuery, options: CodeSearchOptions): Promise<CodeSearchResult | undefined> {
    const { signal } = options
    this.start()
    await this.#waitUntilReady(options)
    if (this.#state !== 'ready') return undefined
    if (this.#isFollowing) await this.#watcher.settled()
    if (!this.#watcher.isLive) this.#rescanIfDue()
    const vector =
      this.#vectorProgress.embedded > 0 ? await this.#embeddings?.embedQuery(asking.text, signal) : undefined
    const files = await this.#request({ ...asking, vector }, signal)
    return files && { files, index: this.state }
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#unsubscribe()
    this.#state = 'off'
    const worker = this.#worker
    if (!worker) return
    this.#worker = undefined
    const gone = new Promise(resolve => worker.once('exit', resolve))
    worker.postMessage({ close: true } satisfies IndexWorkerRequest)
    const timer = setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT_MS)
    await gone
    clearTimeout(timer)
  }

  async #startWorker() {
    await this.#watcher.start()
    if (this.#state !== 'building') return
    const file = indexFile(this.#guard.stateDir, this.#workspace.root)
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    const { dirAccess: _, ...workspace } = this.#workspace
    const { max_files, max_file_bytes, max_bytes } = this.#settings
    const data: IndexWorkerData = {
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
    worker.on('message', (message: IndexWorkerMessage) => this.#onMessage(message))
    worker.on('error', error => this.#fail(error))
    // The server's exit does not wait for its work.
    worker.unref()
    this.#worker = worker
    // Subscribe first, then scan: changes in between are reported at least once.
    this.#unsubscribe = this.#watcher.subscribe(news => this.#forwardEvents(news))
    this.#isFollowing = this.#watcher.isLive
    this.#requestRescan()
  }

  #requestRescan() {
    this.#rescannedAt = performance.now()
    this.#worker?.postMessage({ rescan: true } satisfies IndexWorkerRequest)
  }

  #rescanIfDue() {
    if (performance.now() - this.#rescannedAt > MIN_RESCAN_INTERVAL_MS && this.#progress.waiting === 0)
      this.#requestRescan()
  }

  #forwardEvents(watchEvents: WatchEvents) {
    this.#isFollowing = this.#watcher.isLive
    this.#worker?.postMessage({ watchEvents } satisfies IndexWorkerRequest)
  }

  async #waitUntilReady({ waitMs, signal, onBuilding = () => {} }: CodeSearchOptions) {
    if (this.#state !== 'building' || waitMs === 0) return
    signal.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<void>()
    const go = () => resolve()
    const timer = setTimeout(go, waitMs)
    signal.addEventListener('abort', go)
    this.#waiters.add(go)
    this.#buildListeners.add(onBuilding)
    onBuilding(this.state)
    await promise
    this.#waiters.delete(go)
    this.#buildListeners.delete(onBuilding)
    signal.removeEventListener('abort', go)
    clearTimeout(timer)
    signal.throwIfAborted()
  }

  /** Returns undefined if the index has failed concurrently. */
  async #request(
    ask: CodeQuery & { vector: Float32Array | undefined },
    signal: AbortSignal
  ): Promise<RankedFile[] | undefined> {
    const worker = this.#worker
    if (!worker) return undefined
    const id = this.#nextId++
    const { promise, resolve } = Promise.withResolvers<RankedFile[] | Error>()
    const aborted = () => resolve(signal.reason)
    signal.addEventListener('abort', aborted)
    this.#pendingAnswers.set(id, resolve)
    worker.postMessage({ ask, id } satisfies IndexWorkerRequest)
    const answer = await promise
    this.#pendingAnswers.delete(id)
    signal.removeEventListener('abort', aborted)
    if (!(answer instanceof Error)) return answer
    signal.throwIfAborted()
    return undefined
  }

  #onMessage(message: IndexWorkerMessage) {
    if ('progress' in message) {
      this.#progress = message.progress
      if (message.progress.complete && this.#state === 'building') this.#setState('ready')
      else for (const listener of this.#buildListeners) listener(this.state)
    }
    if ('embedding' in message) this.#vectorProgress = message.embedding
    if ('embed' in message) void this.#embed(message.embed, message.id)
    if ('files' in message) this.#pendingAnswers.get(message.id)?.(message.files)
    else if ('failed' in message && 'id' in message) this.#pendingAnswers.get(message.id)?.(new Error(message.failed))
    else if ('failed' in message) this.#fail(new Error(message.failed))
  }

  #vectorSettings() {
    if (!this.#embeddings) return undefined
    const { url, model, dimensions, batch, max_pieces } = this.#embeddings.settings
    return { made_by: JSON.stringify([url, model, dimensions ?? null]), batch, max_pieces }
  }

  /** During the endpoint's backoff, embedding requests are refused at once, and repeated later. */
  async #embed(texts: readonly string[], id: number) {
    const { signal } = this.#closed
    const vectors =
      this.#embeddings && this.#embeddings.backoffMs === 0
        ? await this.#embeddings.embed(texts, signal).catch(() => undefined)
        : undefined
    this.#worker?.postMessage({ vectors, id } satisfies IndexWorkerRequest)
  }

  #fail(error: unknown) {
    if (this.#state === 'off') return
    this.#unsubscribe()
    const worker = this.#worker
    this.#worker = undefined
    void worker?.terminate()
    this.#failedAt = performance.now()
    this.#reason = (error as Error).message
    this.#progress = NO_PROGRESS
    this.#setState('failed')
    const gone = new ToolError('EXECUTION_ERROR', 'The index of the workspace has failed.')
    for (const answer of this.#pendingAnswers.values()) answer(gone)
  }

  #setState(state: IndexState['state']) {
    this.#state = state
    if (state !== 'failed') this.#reason = undefined
    if (state !== 'building') for (const waiter of this.#waiters) waiter()
    this.#onStateChange(this.state)
  }
}
