// Pending file events (`workspace/didChangeWatchedFiles`) of closed documents: creations, changes and deletions since the last
// notification, filtered by the server's watchers. A file that can be opened instead is opened.
import type { FileChangeType, FileSystemWatcher, WatchKind } from 'vscode-languageserver-protocol'
import { compileIgnoreGlob, type Glob } from '../../text/glob/glob.ts'
import { fileUriToPath, relativePathWithin } from './wire/file-uris.ts'

export type FileEvent = 'created' | 'changed' | 'deleted'

/** The latest event of a file. */
export interface PendingFileEvent {
  path: string
  event: FileEvent
}

/** More events are reported as a change of the whole project. */
const MAX_PENDING_EVENTS = 20_000

export const FILE_CHANGE_TYPES: Record<FileEvent, FileChangeType> = { created: 1, changed: 2, deleted: 3 }

export class PendingFileEvents {
  readonly #root: string
  readonly #pending = new Map<string, FileEvent>()

  /** `root` is that of the workspace. */
  constructor(root: string) {
    this.#root = root
  }

  /** Merges several events of a file into one. */
  add(path: string, event: FileEvent) {
    const before = this.#pending.get(path)
    if (before === 'created' && event === 'deleted') this.#pending.delete(path)
    else this.#pending.set(path, before === 'created' || event === 'created' ? mergeEvents(before, event) : event)
    const [oldest] = this.#pending.keys()
    if (this.#pending.size > MAX_PENDING_EVENTS && oldest !== undefined) this.#pending.delete(oldest)
  }

  drain(): PendingFileEvent[] {
    if (this.#pending.size === 0) return []
    const all = [...this.#pending].map(([path, event]) => ({ path, event }))
    this.#pending.clear()
    return all
  }

  /** Selects the events that match a watcher. */
  filterWatched(changes: readonly PendingFileEvent[], watches: readonly FileSystemWatcher[]) {
    if (changes.length === 0 || watches.length === 0) return []
    const patterns = watches.map(watch => createMatcher(watch, this.#root))
    return changes.filter(({ path, event }) => patterns.some(matches => matches(path, event)))
  }
}

/** A file that was deleted and created again has changed. */
const mergeEvents = (before: FileEvent | undefined, event: FileEvent): FileEvent =>
  before === 'deleted' ? 'changed' : before === 'created' ? 'created' : event

function createMatcher({ globPattern, kind = 7 }: FileSystemWatcher, root: string) {
  const { base, pattern } = splitGlobPattern(globPattern, root)
  const glob = compileOrMatchAll(pattern)
  return (path: string, event: FileEvent) => {
    if ((kind & WATCH_KINDS[event]) === 0) return false
    if (base === undefined) return glob.matches(path) || glob.matches(`${root}/${path}`)
    const inner = relativePathWithin(base, `${root}/${path}`)
    return inner !== undefined && glob.matches(inner)
  }
}

const WATCH_KINDS: Record<FileEvent, WatchKind> = { created: 1, changed: 2, deleted: 4 }

function splitGlobPattern(glob: FileSystemWatcher['globPattern'], root: string) {
  if (typeof glob !== 'string') {
    const uri = typeof glob.baseUri === 'string' ? glob.baseUri : glob.baseUri.uri
    return { base: fileUriToPath(uri)?.replace(/(?<=.)\/$/, '') ?? root, pattern: glob.pattern }
  }
  return { base: undefined, pattern: glob }
}

const MATCH_ALL = { matches: () => true }

/** An unsupported pattern matches everything. */
function compileOrMatchAll(pattern: string): Pick<Glob, 'matches'> {
  try {
    return compileIgnoreGlob(pattern)
  } catch {
    return MATCH_ALL
  }
}
