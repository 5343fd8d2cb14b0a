// Origins of files: the session that created each, and the paths that calls have vacated. Calls that need no approval must not add up
// to one that does, such as moving a file away and creating another in its place.
import { join } from 'node:path/posix'
import type { Change } from '../../host/change.ts'
import type { Call } from '../../protocol/calls.ts'
import type { Store } from '../../store/store.ts'
import type { StoreWrite } from '../../store/store-schema.ts'
import { listAncestors } from '../../text/ancestors.ts'

/** Maximum number of entries of each kind; the oldest are forgotten. */
const MAX_ENTRIES = 100_000

interface Author extends Pick<Call, 'session_id' | 'client'> {
  /** See `ActiveCall.owner`. */
  owner: string | undefined
}

/** A path whose file or folder a call deleted or moved away. Paths are absolute. */
export interface VacatedPath {
  path: string
  tool_call_id: string
  moved_to: string | null
}

interface CreatedFile extends Author {
  /** Hash of the content that the author gave it last; undefined for a folder or link. */
  hash: string | undefined
  /** Milliseconds since the Unix epoch. */
  at: number
}

type ScopedCall = Author & Pick<Call, 'tool_call_id'>

export class FileOrigins {
  /** By absolute path. Lost at a restart, after which nothing counts as created by a session. */
  readonly #created = new Map<string, CreatedFile>()
  readonly #vacated: Map<string, VacatedPath>

  constructor(store: Pick<Store, 'vacatedPaths'>) {
    this.#vacated = new Map(store.vacatedPaths().map(each => [each.path, each]))
  }

  /** Records what an ended call did to files, in order. Returns the writes to commit together with its end. */
  record(call: ScopedCall, root: string, changes: readonly Change[]): StoreWrite[] {
    const occupied = new Set<string>()
    const vacated = new Map<string, VacatedPath>()
    const vacate = (path: string, moved_to: string | null) =>
      vacated.set(path, { path, tool_call_id: call.tool_call_id, moved_to })
    for (const change of changes) {
      const path = join(root, change.path)
      if (change.operation === 'modified') this.#recordModified(call, path, change.after_hash)
      else if (change.operation === 'deleted') {
        if (!this.#deleteCreated(path, call, change.before_hash)) vacate(path, null)
      } else if (change.operation === 'created') {
        // What takes the place of another file was decided on, and is not the session's to take away.
        if (!vacated.has(path) && !this.findVacated(path))
          this.#recordCreated(path, { ...call, hash: change.after_hash, at: Date.now() })
        // A folder that is created again does not bring back what was in it.
        if (change.kind !== 'directory') occupied.add(path)
      } else {
        const from = join(root, change.from!)
        if (!this.#moveCreated(from, path, call, change)) vacate(from, path)
        occupied.add(path)
      }
      if (occupied.has(path)) vacated.delete(path)
    }
    return [...this.#occupy(occupied), ...this.#vacate(vacated)]
  }

  /** Returns the vacated path that a path equals or was in. */
  findVacated(path: string): VacatedPath | undefined {
    if (this.#vacated.size === 0) return undefined
    return [path, ...listAncestors(path)].map(each => this.#vacated.get(each)).find(each => each !== undefined)
  }

  /** Returns true if some session created the entry at a path. */
  isKnown(path: string): boolean {
    return this.#created.has(path)
  }

  /**
   * Returns true if the caller created the entry at a path after a time, and its content is still what the caller gave it. What was
   * committed since belongs to the repository.
   */
  isAuthor(author: Author, path: string, hash: string | undefined, after = 0): boolean {
    const created = this.#created.get(path)
    return created !== undefined && isSameAuthor(created, author) && created.hash === hash && created.at > after
  }

  #recordCreated(path: string, { session_id, client, owner, hash, at }: CreatedFile) {
    this.#created.delete(path)
    this.#created.set(path, { session_id, client, owner, hash, at })
    forgetOldest(this.#created)
  }

  #recordModified(author: Author, path: string, hash: string | undefined) {
    const created = this.#created.get(path)
    if (created && isSameAuthor(created, author)) created.hash = hash
    else this.#created.delete(path)
  }

  #deleteCreated(path: string, author: Author, hash: string | undefined): boolean {
    const isOwn = this.isAuthor(author, path, hash)
    this.#created.delete(path)
    return isOwn
  }

  /** Returns true if the author had created the moved entry. What is in a folder stays its author's. */
  #moveCreated(from: string, to: string, author: Author, { kind, after_hash, from_hash }: Change): boolean {
    const isOwn = this.isAuthor(author, from, from_hash ?? after_hash)
    const created = this.#created.get(from)
    this.#created.delete(from)
    if (created && isOwn && !this.findVacated(to)) this.#recordCreated(to, { ...created, hash: after_hash })
    else this.#created.delete(to)
    if (kind !== 'directory') return isOwn
    for (const [path, each] of [...this.#created]) {
      if (!path.startsWith(`${from}/`)) continue
      this.#created.delete(path)
      this.#recordCreated(to + path.slice(from.length), each)
    }
    return isOwn
  }

  #occupy(paths: ReadonlySet<string>): StoreWrite[] {
    return [...paths].filter(path => this.#vacated.delete(path)).map(path => ['occupyPath', path])
  }

  /** Records vacated paths; what was in a vacated folder has no entry. */
  #vacate(paths: ReadonlyMap<string, VacatedPath>): StoreWrite[] {
    const top = [...paths.values()].filter(({ path }) => !listAncestors(path).some(above => paths.has(above)))
    for (const each of top) this.#vacated.set(each.path, each)
    forgetOldest(this.#vacated)
    return top.map(({ path, tool_call_id, moved_to }) => ['vacatePath', path, tool_call_id, moved_to])
  }
}

const isSameAuthor = (a: Author, b: Author) =>
  a.session_id === b.session_id && a.client === b.client && a.owner === b.owner

function forgetOldest(entries: Map<string, unknown>) {
  for (const path of entries.keys()) {
    if (entries.size <= MAX_ENTRIES) return
    entries.delete(path)
  }
}
