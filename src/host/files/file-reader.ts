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
import { ToolError } from '../../errors.ts'
import type { Unsaved } from '../editors/editor-bridge.ts'
import type { HeldBuffer } from '../editors/editor-buffers.ts'
import { HeldFiles } from '../editors/unsaved-files.ts'
import type { Effects, Workspace } from '../host.ts'
import { hashOf } from './content-source.ts'
import { explain, quote } from './errno.ts'
import { type Entry, type EntryFound, Found, HASH_LIMIT, typeOf } from './file-snapshot.ts'
import { isFresh, stampOf } from './fingerprint.ts'
import { type Listing, type ListingQuery, listFolder } from './listing.ts'
import { OpenFile } from './open-file.ts'
import { type Place, walk, walkToEntry } from './paths.ts'
import { BoundFiles } from './policy/approved-state.ts'
import { isForRepository } from './policy/git-repository-files.ts'
import { type Guard, type Judged, judge, type Resolved } from './policy/path-policy.ts'
import { type Renamed, type Renaming, renamedBeneath } from './rename-effects.ts'

export { Found } from './file-snapshot.ts'

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
  protected readonly held: HeldFiles
  readonly #bound = new BoundFiles()

  constructor(workspace: Workspace, guard: Guard, effects: Effects) {
    this.workspace = workspace
    this.guard = guard
    this.effects = effects
    this.held = new HeldFiles(effects.editors, place => this.openAt(place, place.path))
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
    const place = this.walk(path)
    place.close()
    return this.#judge(place)
  }

  /** The same of an entry itself. */
  peekEntry(path: string): Resolved {
    const place = this.asJudged(path, walkToEntry(this.workspace, path))
    place.close()
    return this.#judge(place)
  }

  /** What a folder holds that means another thing to security under its new name. Both were judged before. */
  renamed(renaming: Renaming): Promise<Renamed[]> {
    const { workspace, guard } = this
    return renamedBeneath(renaming, {
      workspace,
      guard,
      entries: folder => this.entries(folder),
      isForRepository: (path, isFolder) => this.#isForRepository(path, isFolder)
    })
  }

  /** What is there, as a string that differs when the content does. The path is canonical: a link at its end is meant. */
  preimage(path: string): string {
    const image = this.#image(path)
    this.#bound.see(path, image)
    return image
  }

  /** From now on, until it is judged anew, the call acts on what `preimage` has told, or fails. */
  bind() {
    this.#bound.bind()
  }

  #image(path: string): string {
    const place = walkToEntry(this.workspace, path)
    try {
      const { stat } = place
      const replaced = this.held.replacedAt(place)
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
    return this.held.any ? this.#heldAt(this.walk(path)) : undefined
  }

  /** What editors hold of a canonical path: a link at its end is meant. */
  unsavedAt(path: string): HeldBuffer[] {
    const own = this.held.any ? this.#heldAt(walkToEntry(this.workspace, path)) : undefined
    return own ? [own.buffer] : []
  }

  /** The same, with all that is beneath it. */
  unsavedIn(path: string): HeldBuffer[] {
    return [...this.unsavedAt(path), ...this.held.beneath(path)]
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
      if (!place.stat) {
        if (this.#bound.differs(place.path, () => 'absent')) throw stale(path)
        return undefined
      }
      file = this.openAt(place, path)
      unsaved = this.held.replacedAt(place)
    } finally {
      place.close()
    }
    try {
      const found = unsaved
        ? new Found({ path: file.path, size: unsaved.bytes.length, stat: file.stat }, unsaved.bytes, unsaved)
        : new Found(file, file.size > HASH_LIMIT ? undefined : await file.bytes(this.effects.signal))
      if (this.#bound.differs(found.path, () => found.hash ?? `stat:${stampOf(found.stat)}`)) throw stale(path)
      return found
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
    const resolved = this.#judge(place)
    this.judged.set(path, resolved)
    this.#bound.release()
    this.held.judged(resolved.path)
    return resolved
  }

  #judge(place: Judged): Resolved {
    const judged = judge(this.workspace, this.guard, place)
    return judged.self_starting
      ? judged
      : { ...judged, self_starting: this.#isForRepository(place.path, judged.kind === 'directory') }
  }

  #isForRepository(path: string, isFolder: boolean): boolean {
    return isForRepository(path, isFolder, file => {
      const { stat, close } = walkToEntry(this.workspace, file)
      close()
      return stat !== undefined && !stat.isDirectory()
    })
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

  #heldAt(place: Place): Unsaved | undefined {
    try {
      return this.held.at(place)
    } finally {
      place.close()
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

export const notAFile = (path: string, stat: BigIntStats) =>
  new ToolError('NOT_A_FILE', `${quote(path)} is ${stat.isDirectory() ? 'a folder' : 'not a regular file'}.`, { path })
