// Looking at the files of one workspace, for one call. Every path is walked and judged anew each time (see `paths.ts`).
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync
} from 'node:fs'
import { ToolError } from '../errors.ts'
import type { HeldBuffer } from './buffers.ts'
import { hashOf } from './content.ts'
import { type Unsaved, unsavedOf } from './editors.ts'
import { explain, quote } from './errno.ts'
import { type Entry, type EntryFound, Found, HASH_LIMIT, typeOf } from './found.ts'
import type { Effects, Workspace } from './host.ts'
import { type Listing, type ListingQuery, listFolder } from './listing.ts'
import { OpenFile } from './open-file.ts'
import { type Guard, judge, type Place, type Resolved, walk, walkToEntry } from './paths.ts'
import { isFresh, stampOf } from './stamp.ts'

export { type Entry, type EntryFound, Found, HASH_LIMIT, typeOf } from './found.ts'

const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY

export class FileReader {
  protected readonly workspace: Workspace
  protected readonly guard: Guard
  protected readonly effects: Effects
  /** What policy was told of each path. It must still hold when the call acts. */
  protected readonly judged = new Map<string, Resolved>()
  /** Those of them that stand for an entry itself, be it a link. */
  readonly #entries = new Set<string>()
  /** What an editor held of each of them then, by canonical path. */
  readonly #heldThen = new Map<string, string | undefined>()

  constructor(workspace: Workspace, guard: Guard, effects: Effects) {
    this.workspace = workspace
    this.guard = guard
    this.effects = effects
  }

  /** Where a path leads now and what policy must know of it. From here on the call acts on that or fails. */
  resolve(path: string): Resolved {
    return this.#resolved(path, walk(this.workspace, path))
  }

  /** The same of an entry itself: a link there is not followed, neither now nor later. */
  resolveEntry(path: string): Resolved {
    this.#entries.add(path)
    return this.#resolved(path, walkToEntry(this.workspace, path))
  }

  /** The same for tools, which act on what was judged before: it settles nothing anew. */
  peek(path: string): Resolved {
    const place = this.#entries.has(path) ? this.asJudged(path, walkToEntry(this.workspace, path)) : this.walk(path)
    place.close()
    return judge(this.workspace, this.guard, place)
  }

  /** What is there, as a string that differs when the content does. The path is canonical: a link at its end is meant. */
  preimage(path: string): string {
    const place = walkToEntry(this.workspace, path)
    try {
      const { stat } = place
      const replaced = this.#replacedInEditor(place)
      if (replaced) return hashOf(replaced.bytes)
      if (!stat) return 'absent'
      if (stat.isDirectory()) return 'directory'
      if (stat.isSymbolicLink()) return `link:${readlinkSync(place.door)}`
      if (!stat.isFile() || stat.size > HASH_LIMIT) return `stat:${stampOf(stat)}`
      const file = this.openAt(place, path)
      try {
        return hashOf(file.bytesSync())
      } finally {
        file.close()
      }
    } catch (error) {
      if (error instanceof ToolError && error.code === 'PERMISSION_DENIED') return `stat:${stampOf(place.stat!)}`
      throw error
    } finally {
      place.close()
    }
  }

  /** The same for files and folders without reading them; undefined where a further change might not show. */
  fingerprint(path: string): string | undefined {
    const place = walk(this.workspace, path)
    place.close()
    return place.stat && !isFresh(place.stat) ? stampOf(place.stat) : undefined
  }

  /** What an editor holds of the file that is not on the disk. */
  unsaved(path: string): Unsaved | undefined {
    if (!this.effects.editors?.any) return undefined
    const place = this.walk(path)
    try {
      return this.#unsavedAt(place)
    } finally {
      place.close()
    }
  }

  /** What editors hold of a path and of all beneath it. */
  unsavedIn(path: string): HeldBuffer[] {
    const { editors } = this.effects
    if (!editors?.any) return []
    const own = this.unsaved(path)
    return [...(own ? [own.buffer] : []), ...editors.beneath(this.peek(path).path)]
  }

  /** Opens a regular file; the caller closes it. */
  open(path: string): OpenFile {
    const place = this.walk(path)
    try {
      this.refuseServerState(place, path)
      return this.openAt(place, path)
    } finally {
      place.close()
    }
  }

  /** What a change would replace: undefined where nothing is. */
  async look(path: string): Promise<Found | undefined> {
    const place = this.walk(path)
    let file: OpenFile
    let unsaved: Unsaved | undefined
    try {
      this.refuseServerState(place, path)
      if (!place.stat) return undefined
      file = this.openAt(place, path)
      unsaved = this.#replacedInEditor(place)
    } finally {
      place.close()
    }
    try {
      if (unsaved)
        return new Found({ path: file.path, size: unsaved.bytes.length, stat: file.stat }, unsaved.bytes, unsaved)
      return new Found(file, file.size > HASH_LIMIT ? undefined : await file.bytes(this.effects.signal))
    } finally {
      file.close()
    }
  }

  /** What is at a path itself; undefined where nothing is. */
  entry(path: string): EntryFound | undefined {
    const place = this.asJudged(path, walkToEntry(this.workspace, path))
    try {
      this.refuseServerState(place, path)
      const { stat } = place
      if (!stat) return undefined
      const type = typeOf(stat)
      const target = type === 'symlink' && { target: readlinkSync(place.door) }
      return { path: place.path, type, mode: Number(stat.mode & 0o7777n), ...target }
    } finally {
      place.close()
    }
  }

  /** What lies below a folder. */
  listing(path: string, query: ListingQuery): Promise<Listing> {
    const place = this.walk(path)
    place.close()
    this.refuseServerState(place, path)
    if (!place.stat) throw notFound(path)
    if (!place.stat.isDirectory()) throw new ToolError('NOT_A_DIRECTORY', `${quote(path)} is not a folder.`, { path })
    return listFolder(this.workspace, this.guard, place.path, query)
  }

  /** A folder's entries, sorted by name, of those `shown`; the server's own are left out. */
  entries(path: string, shown: (name: string) => boolean = () => true): Entry[] {
    const place = this.walk(path)
    try {
      this.refuseServerState(place, path)
      if (!place.stat) throw notFound(path)
      if (!place.stat.isDirectory()) throw new ToolError('NOT_A_DIRECTORY', `${quote(path)} is not a folder.`, { path })
      return this.#entriesAt(place, shown)
    } catch (error) {
      throw explain(error, path)
    } finally {
      place.close()
    }
  }

  /** Whether policy was told of the entry at this path, and not of what a link there leads to. */
  protected isJudgedAsEntry(path: string): boolean {
    return this.#entries.has(path)
  }

  #resolved(path: string, place: Place): Resolved {
    place.close()
    const resolved = judge(this.workspace, this.guard, place)
    this.judged.set(path, resolved)
    this.#heldThen.set(resolved.path, this.effects.editors?.held(resolved.path)?.hash)
    return resolved
  }

  /** Walks, and holds the path to what policy was told of it. */
  protected walk(path: string): Place {
    return this.asJudged(path, walk(this.workspace, path))
  }

  protected asJudged(path: string, place: Place): Place {
    const judged = this.judged.get(path)
    if (!judged || judged.path === place.path) return place
    place.close()
    throw stale(path)
  }

  protected refuseServerState(place: Place, given: string) {
    if (judge(this.workspace, this.guard, place).protected !== 'all') return
    throw new ToolError('SENSITIVE_PATH', `${quote(given)} belongs to the server.`, { path: given })
  }

  /** Refuses to change on the disk what an editor has taken up since the call was judged and, where changes go to
   * editors, anything that one holds. */
  protected refuseHeld(place: Place) {
    const unsaved = this.#unsavedAt(place)
    if (!unsaved) return
    if (this.#heldThen.has(place.path) && this.#heldThen.get(place.path) !== unsaved.buffer.hash)
      throw stale(place.path)
    if (this.effects.editors?.writes === 'editor') throw onlyThere(unsaved.buffer)
  }

  /** The same for all that a folder holds. */
  protected refuseHeldBeneath(place: Pick<Place, 'path'>) {
    const { editors } = this.effects
    const held = editors?.writes === 'editor' ? editors.beneath(place.path)[0] : undefined
    if (held) throw onlyThere(held)
  }

  /** What a change of a file would replace in an editor, where changes go there. */
  #replacedInEditor(place: Place): Unsaved | undefined {
    return this.effects.editors?.writes === 'editor' ? this.#unsavedAt(place) : undefined
  }

  #unsavedAt(place: Place): Unsaved | undefined {
    const buffer = this.effects.editors?.held(place.path)
    return buffer && unsavedOf(buffer, this.#onDisk(place))
  }

  #onDisk(place: Place): Buffer | undefined {
    if (!place.stat?.isFile() || place.stat.size > HASH_LIMIT) return undefined
    const file = this.openAt(place, place.path)
    try {
      return file.bytesSync()
    } finally {
      file.close()
    }
  }

  protected openAt(place: Place, given: string): OpenFile {
    if (!place.stat) throw notFound(given)
    // Looked at before it is opened: opening a FIFO or a device can already do something.
    if (!place.stat.isFile()) throw notAFile(given, place.stat)
    let fd: number | undefined
    try {
      fd = openSync(place.door, READ | this.workspace.doors.noLinks)
      const stat = fstatSync(fd, { bigint: true })
      if (!stat.isFile()) throw notAFile(given, stat)
      return new OpenFile(fd, place.path, stat)
    } catch (error) {
      if (fd !== undefined) closeSync(fd)
      throw explain(error, given)
    }
  }

  #entriesAt(place: Place, shown: (name: string) => boolean): Entry[] {
    const folder = place.path === '.' ? '' : place.path
    const fd = openSync(place.door, FOLDER | this.workspace.doors.noLinks)
    try {
      const prefix = this.workspace.doors.prefix(this.workspace, fd, folder)
      return readdirSync(prefix)
        .filter(shown)
        .sort(byCodeUnits)
        .flatMap(name => this.#entry(prefix, folder ? `${folder}/${name}` : name, name))
    } finally {
      closeSync(fd)
    }
  }

  #entry(prefix: string, path: string, name: string): Entry[] {
    const protection = judge(this.workspace, this.guard, { path, stat: undefined }).protected
    if (protection === 'all') return []
    const stat = lstatSync(prefix + name, { bigint: true, throwIfNoEntry: false })
    // Gone meanwhile, or a name that is not UTF-8 and cannot be reached by one.
    if (!stat) return []
    const closed = protection !== undefined
    return [{ name, path, type: typeOf(stat), size: Number(stat.size), modified: stat.mtime.toISOString(), closed }]
  }
}

const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

export const notFound = (path: string) => new ToolError('FILE_NOT_FOUND', `${quote(path)} does not exist.`, { path })

export const stale = (path: string) =>
  new ToolError('STALE_FILE', `${quote(path)} is no longer what it was when the call was judged or read.`, { path })

const onlyThere = ({ path, client }: HeldBuffer) =>
  new ToolError(
    'DELEGATE_UNAVAILABLE',
    `${quote(path)} has unsaved changes in ${client}, which cannot make this change: save it there first.`,
    { path, client }
  )

export const notAFile = (path: string, stat: BigIntStats) =>
  new ToolError('NOT_A_FILE', `${quote(path)} is ${stat.isDirectory() ? 'a folder' : 'not a regular file'}.`, { path })
