// Worker thread for the index of one workspace, with low priority: it is built while people work.

import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { listAncestors } from '../../text/ancestors.ts'
import type { QueryTerms } from '../../text/code/query-terms.ts'
import { compileGlob } from '../../text/glob/glob.ts'
import { DEFAULT_DIR_ACCESS } from '../files/dir-access.ts'
import type { PathGuard } from '../files/policy/path-policy.ts'
import type { WatchEvents } from '../watch/watcher.ts'
import type { Workspace } from '../workspace.ts'
import { openIndex, removeIndex } from './index-schema.ts'
import { IndexStore } from './index-store.ts'
import { IndexTree } from './index-tree.ts'
import { Indexer, type IndexProgress } from './indexer.ts'
import { fuseRankings } from './rank-fusion.ts'
import { type RankedFile, rankFiles } from './ranking.ts'
import { VectorIndex, type VectorProgress, type VectorSettings } from './vector-index.ts'

export interface IndexWorkerData {
  file: string
  workspace: Omit<Workspace, 'dirAccess'>
  guard: PathGuard
  max_files: number
  max_file_bytes: number
  max_bytes: number
  /** Undefined if disabled. */
  vectors: VectorSettings | undefined
}

export interface CodeQuery {
  question: QueryTerms
  /** The original query. */
  text: string
  /** Canonical path of the file or folder to search in. */
  path: string
  include: readonly string[]
  exclude: readonly string[]
  limit: number
}

/** A query with its embedding, if there is one. */
interface CodeQueryWithVector extends CodeQuery {
  vector?: Float32Array | undefined
}

export type IndexWorkerRequest =
  | { rescan: true }
  | { watchEvents: WatchEvents }
  | { ask: CodeQueryWithVector; id: number }
  | { vectors: Float32Array[] | undefined; id: number }
  | { close: true }
export type IndexWorkerMessage =
  | { progress: IndexProgress }
  | { embedding: VectorProgress }
  | { embed: readonly string[]; id: number }
  | { id: number; files: RankedFile[]; progress: IndexProgress }
  | { id: number; failed: string }
  | { failed: string }

/** Maximum time for which a query waits for recent changes. */
const CATCH_UP_TIMEOUT_MS = 2_000
const PROGRESS_INTERVAL_MS = 100
/** Number of files of each ranking that are fused. */
const FUSION_CANDIDATES = 100
/** Lower priority than the rest of the server. */
const NICE_LEVEL = 5
/** SQLite error codes of a corrupt database. */
const CORRUPT_ERROR_CODES: ReadonlySet<number | undefined> = new Set([11, 26])

const { file, workspace, guard, vectors: embedding, ...limits } = workerData as IndexWorkerData
const rules = JSON.stringify([guard.sensitive, limits.max_file_bytes])
const port = parentPort!
const post = (message: IndexWorkerMessage) => port.postMessage(message)

lowerPriority()
let store: IndexStore
let vectors: VectorIndex | undefined
const pendingEmbeds = new Map<number, (vectors: Float32Array[] | undefined) => void>()
let nextEmbed = 1
let indexer = openIndexer()
let lastProgressAt = 0

port.on('message', (message: IndexWorkerRequest) => {
  if ('rescan' in message) runOrRebuild(indexer.rescan())
  else if ('watchEvents' in message) runOrRebuild(indexer.handleEvents(message.watchEvents))
  else if ('vectors' in message) pendingEmbeds.get(message.id)?.(message.vectors)
  else if ('ask' in message) void answerQuery(message.ask, message.id)
  else close()
})

function openIndexer(): Indexer {
  store = new IndexStore(openIndex(file, rules))
  const tree = new IndexTree({ ...workspace, dirAccess: DEFAULT_DIR_ACCESS }, guard, limits.max_file_bytes)
  vectors = embedding && new VectorIndex(store, tree, embedding, embed, postVectorProgress)
  return new Indexer(store, tree, limits, progress => {
    const now = performance.now()
    if (progress.waiting > 0 && now - lastProgressAt < PROGRESS_INTERVAL_MS) return
    lastProgressAt = now
    post({ progress })
  })
}

function postVectorProgress() {
  if (vectors) post({ embedding: vectors.progress })
}

/** The main thread sends the request. */
async function embed(texts: readonly string[]): Promise<Float32Array[] | undefined> {
  const id = nextEmbed++
  const { promise, resolve } = Promise.withResolvers<Float32Array[] | undefined>()
  pendingEmbeds.set(id, resolve)
  post({ embed: texts, id })
  return promise.finally(() => pendingEmbeds.delete(id))
}

/** Rebuilds an index that is corrupt on disk; any other error is reported, and ends it. */
function runOrRebuild(work: Promise<void>) {
  work
    .then(() => vectors?.update())
    .catch(error => {
      if (!isCorrupt(error)) return post({ failed: (error as Error).message })
      rebuild()
      runOrRebuild(indexer.rescan())
    })
}

function rebuild() {
  try {
    store.close()
  } catch {
    // Removed anyway.
  }
  removeIndex(file)
  indexer = openIndexer()
}

const isCorrupt = (error: unknown) => CORRUPT_ERROR_CODES.has((error as { errcode?: number }).errcode)

async function answerQuery({ question, path, include, exclude, limit, vector }: CodeQueryWithVector, id: number) {
  try {
    await Promise.race([indexer.settled(), pause(CATCH_UP_TIMEOUT_MS, undefined, { ref: false })])
    const within = matchesAll(path, include, exclude) ? undefined : filesWithin(path, include, exclude)
    const byWords = rankFiles(store, question, vector ? FUSION_CANDIDATES : limit, within)
    const nearest = vector && vectors?.nearest(vector, within && new Set(within))
    const files = nearest ? fuseRankings(store, byWords, nearest, limit) : byWords
    post({ id, files, progress: indexer.progress })
  } catch (error) {
    post({ id, failed: (error as Error).message })
    if (isCorrupt(error)) {
      rebuild()
      runOrRebuild(indexer.rescan())
    }
  }
}

const matchesAll = (path: string, ...globs: readonly (readonly string[])[]) =>
  path === '.' && globs.every(({ length }) => length === 0)

/** Returns the ids of the files that are in the folder, or are the file, and match the globs. */
function filesWithin(path: string, include: readonly string[], exclude: readonly string[]): number[] {
  const prefix = path === '.' ? '' : `${path}/`
  const [included, excluded] = [include.map(compileGlob), exclude.map(compileGlob)]
  return store
    .listFiles()
    .filter(known => {
      if (known.path === path) return true
      if (!known.path.startsWith(prefix)) return false
      const inner = known.path.slice(prefix.length)
      if (included.length > 0 && !included.some(glob => glob.matches(inner))) return false
      return !withAncestors(inner).some(each => excluded.some(glob => glob.matches(each)))
    })
    .map(({ id }) => id)
}

/** Returns a path and its ancestors. */
const withAncestors = (path: string) => [...listAncestors(path), path]

function close() {
  try {
    store.close()
  } finally {
    port.close()
  }
}

/** On Linux each thread has its own priority. Elsewhere it would be that of the whole server. */
function lowerPriority() {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICE_LEVEL)
  } catch {
    // Only an optimization.
  }
}
