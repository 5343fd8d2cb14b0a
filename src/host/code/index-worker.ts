// The index of one workspace, on a thread of its own, which gives way to all others: it is built while people work.

import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { foldersAbove } from '../../text/ancestors.ts'
import type { Question } from '../../text/code/query-terms.ts'
import { compileGlob } from '../../text/glob/glob.ts'
import { DOORS } from '../files/dir-access.ts'
import type { Guard } from '../files/policy/path-policy.ts'
import type { Workspace } from '../host.ts'
import type { News } from '../watch/watcher.ts'
import { openIndex, removeIndex } from './index-schema.ts'
import { IndexStore } from './index-store.ts'
import { IndexTree } from './index-tree.ts'
import { Indexer, type Progress } from './indexer.ts'
import { fused } from './rank-fusion.ts'
import { type RankedFile, ranked } from './ranking.ts'
import { type VectorProgress, type VectorSettings, Vectors } from './vector-index.ts'

export interface IndexSettings {
  file: string
  workspace: Omit<Workspace, 'doors'>
  guard: Guard
  max_files: number
  max_file_bytes: number
  max_bytes: number
  /** Undefined where there are to be none. */
  vectors: VectorSettings | undefined
}

export interface Asking {
  question: Question
  /** The question as it was put. */
  text: string
  /** Canonical path of the file or folder to stay in. */
  path: string
  include: readonly string[]
  exclude: readonly string[]
  limit: number
}

/** With the question's vector, where there is one. */
interface AskingOf extends Asking {
  vector?: Float32Array | undefined
}

export type ToIndex =
  | { compare: true }
  | { news: News }
  | { ask: AskingOf; id: number }
  | { vectors: Float32Array[] | undefined; id: number }
  | { close: true }
export type FromIndex =
  | { progress: Progress }
  | { embedding: VectorProgress }
  | { embed: readonly string[]; id: number }
  | { id: number; files: RankedFile[]; progress: Progress }
  | { id: number; failed: string }
  | { failed: string }

/** A question waits so long for what has changed just before it. */
const CATCH_UP_MS = 2_000
const TELL_EVERY_MS = 100
/** Files of each order that are put together. */
const FUSED = 100
/** Behind the rest of the server. */
const PRIORITY = 5
/** SQLite's words for a file that is no index any more. */
const RUINED: ReadonlySet<number | undefined> = new Set([11, 26])

const { file, workspace, guard, vectors: embedding, ...limits } = workerData as IndexSettings
const rules = JSON.stringify([guard.sensitive, limits.max_file_bytes])
const port = parentPort!
const tell = (message: FromIndex) => port.postMessage(message)

giveWay()
let store: IndexStore
let vectors: Vectors | undefined
const embeds = new Map<number, (vectors: Float32Array[] | undefined) => void>()
let nextEmbed = 1
let indexer = opened()
let told = 0

port.on('message', (message: ToIndex) => {
  if ('compare' in message) follow(indexer.compare())
  else if ('news' in message) follow(indexer.hear(message.news))
  else if ('vectors' in message) embeds.get(message.id)?.(message.vectors)
  else if ('ask' in message) void answer(message.ask, message.id)
  else close()
})

function opened(): Indexer {
  store = new IndexStore(openIndex(file, rules))
  const tree = new IndexTree({ ...workspace, doors: DOORS }, guard, limits.max_file_bytes)
  vectors = embedding && new Vectors(store, tree, embedding, embed, tellVectors)
  return new Indexer(store, tree, limits, progress => {
    const now = performance.now()
    if (progress.waiting > 0 && now - told < TELL_EVERY_MS) return
    told = now
    tell({ progress })
  })
}

function tellVectors() {
  if (vectors) tell({ embedding: vectors.progress })
}

/** The main thread asks the endpoint. */
async function embed(texts: readonly string[]): Promise<Float32Array[] | undefined> {
  const id = nextEmbed++
  const { promise, resolve } = Promise.withResolvers<Float32Array[] | undefined>()
  embeds.set(id, resolve)
  tell({ embed: texts, id })
  return promise.finally(() => embeds.delete(id))
}

/** An index that was ruined on the disk is made anew; any other fault is told, and ends it. */
function follow(work: Promise<void>) {
  work
    .then(() => vectors?.work())
    .catch(error => {
      if (!isRuined(error)) return tell({ failed: (error as Error).message })
      beginAnew()
      follow(indexer.compare())
    })
}

function beginAnew() {
  try {
    store.close()
  } catch {
    // It goes anyway.
  }
  removeIndex(file)
  indexer = opened()
}

const isRuined = (error: unknown) => RUINED.has((error as { errcode?: number }).errcode)

async function answer({ question, path, include, exclude, limit, vector }: AskingOf, id: number) {
  try {
    await Promise.race([indexer.settled(), pause(CATCH_UP_MS, undefined, { ref: false })])
    const within = isAll(path, include, exclude) ? undefined : filesWithin(path, include, exclude)
    const byWords = ranked(store, question, vector ? FUSED : limit, within)
    const nearest = vector && vectors?.nearest(vector, within && new Set(within))
    const files = nearest ? fused(store, byWords, nearest, limit) : byWords
    tell({ id, files, progress: indexer.progress })
  } catch (error) {
    tell({ id, failed: (error as Error).message })
    if (isRuined(error)) {
      beginAnew()
      follow(indexer.compare())
    }
  }
}

const isAll = (path: string, ...globs: readonly (readonly string[])[]) =>
  path === '.' && globs.every(({ length }) => length === 0)

/** The numbers of the files that are in the folder, or are the file, and that the globs leave. */
function filesWithin(path: string, include: readonly string[], exclude: readonly string[]): number[] {
  const prefix = path === '.' ? '' : `${path}/`
  const [included, excluded] = [include.map(compileGlob), exclude.map(compileGlob)]
  return store
    .known()
    .filter(known => {
      if (known.path === path) return true
      if (!known.path.startsWith(prefix)) return false
      const inner = known.path.slice(prefix.length)
      if (included.length > 0 && !included.some(glob => glob.matches(inner))) return false
      return !withFolders(inner).some(each => excluded.some(glob => glob.matches(each)))
    })
    .map(({ id }) => id)
}

/** A path, and the folders that it is in. */
const withFolders = (path: string) => [...foldersAbove(path), path]

function close() {
  try {
    store.close()
  } finally {
    port.close()
  }
}

/** Linux gives each thread a priority of its own. Elsewhere it would be that of the whole server. */
function giveWay() {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), PRIORITY)
  } catch {
    // It is only a courtesy.
  }
}
