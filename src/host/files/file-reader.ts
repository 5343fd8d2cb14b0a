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
import type { EditorBuffer } from '../editors/editor-buffers.ts'
import type { UnsavedBuffer } from '../editors/unsaved-buffer.ts'
import { UnsavedFiles } from '../editors/unsaved-files.ts'
import type { Effects } from '../effects.ts'
import type { Workspace } from '../workspace.ts'
import { hashBytes } from './content-source.ts'
import { quotePath, toFileError } from './errno.ts'
import {
  type DirectoryEntry,
  type EntryInfo,
  entryTypeOf,
  FileSnapshot,
  MAX_HASHED_FILE_BYTES
} from './file-snapshot.ts'
import { isRacyStat, statFingerprint } from './fingerprint.ts'
import { type Listing, type ListingQuery, listFolder } from './listing.ts'
import { OpenFile } from './open-file.ts'
import { type ResolvedEntry, resolveWorkspaceEntry, resolveWorkspacePath } from './paths.ts'
import { ApprovedState } from './policy/approved-state.ts'
import { isGitRepositoryFile } from './policy/git-repository-files.ts'
import { type CanonicalEntry, classifyPath, type PathClassification, type PathGuard } from './policy/path-policy.ts'
import { type FolderRename, findRenameEffects, type RenameEffect } from './rename-effects.ts'

export { FileSnapshot } from './file-snapshot.ts'

const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY

export class FileReader {
  protected readonly workspace: Workspace
  protected readonly guard: PathGuard
  protected readonly effects: Effects
  /** What policy was told of each path. It must still hold when the call acts. */
  protected readonly resolvedPaths = new Map<string, PathClassification>()
  /** Those of them that stand for an entry itself, be it a link. */
  readonly #entries = new Set<string>()
  protected readonly unsavedFiles: UnsavedFiles
  readonly #approvedState = new ApprovedState()

  constructor(workspace: Workspace, guard: PathGuard, effects: Effects) {
    this.workspace = workspace
    this.guard = guard
    this.effects = effects
    this.unsavedFiles = new UnsavedFiles(effects.editors, place => this.openAt(place, place.path))
  }

  /** Where a path leads now and what policy must know of it. From here on the call acts on that or fails. */
  resolve(path: string): PathClassification {
    return this.#remember(path, resolveWorkspacePath(this.workspace, path))
  }

  /** The same of an entry itself: a link there is not followed, neither now nor later. */
  resolveEntry(path: string): PathClassification {
    this.#entries.add(path)
    return this.#remember(path, resolveWorkspaceEntry(this.workspace, path))
  }

  /** The same for tools, which act on what was judged before: it settles nothing anew. */
  peek(path: string): PathClassification {
    const place = this.walk(path)
    place.close()
    return this.#judge(place)
  }

  /** The same of an entry itself. */
  peekEntry(path: string): PathClassification {
    const place = this.assertSameResolution(path, resolveWorkspaceEntry(this.workspace, path))
    place.close()
    return this.#judge(place)
  }

  /** What a folder holds that means another thing to security under its new name. Both were judged before. */
  findRenameEffects(renaming: FolderRename): Promise<RenameEffect[]> {
    const { workspace, guard } = this
    return findRenameEffects(renaming, {
      workspace,
      guard,
      entries: folder => this.entries(folder),
      isForRepository: (path, isFolder) => this.#isForRepository(path, isFolder)
    })
  }

  /** What is there, as a string that differs when the content does. The path is canonical: a link at its end is meant. */
  preimage(path: string): string {
    const image = this.#preimageOf(path)
    this.#approvedState.record(path, image)
    return image
  }

  /** From now on, until it is judged anew, the call acts on what `preimage` has told, or fails. */
  bindApprovedState() {
    this.#approvedState.bind()
  }

  #preimageOf(path: string): string {
    const place = resolveWorkspaceEntry(this.workspace, path)
    try {
      const { stat } = place
      const replaced = this.unsavedFiles.editorTargetAt(place)
      if (replaced) return hashBytes(replaced.bytes)
      if (!stat) return 'absent'
      if (stat.isDirectory()) return 'directory'
      if (stat.isSymbolicLink()) return `link:${readlinkSync(place.accessPath)}`
      if (!stat.isFile() || stat.size > MAX_HASHED_FILE_BYTES) return `stat:${statFingerprint(stat)}`
      const file = this.openAt(place, path)
      try {
        return hashBytes(file.bytesSync())
      } finally {
        file.close()
      }
    } catch (error) {
      if (error instanceof ToolError && error.code === 'PERMISSION_DENIED')
        return `stat:${statFingerprint(place.stat!)}`
      throw error
    } finally {
      place.close()
    }
  }

  /** The same for files and folders without reading them; undefined where a further change might not show. */
  fingerprint(path: string): string | undefined {
    const place = resolveWorkspacePath(this.workspace, path)
    place.close()
    return place.stat && !isRacyStat(place.stat) ? statFingerprint(place.stat) : undefined
  }

  /** What an editor holds of the file that is not on the disk. */
  unsaved(path: string): UnsavedBuffer | undefined {
    return this.unsavedFiles.hasBuffers ? this.#unsavedAt(this.walk(path)) : undefined
  }

  /** What editors hold of a canonical path: a link at its end is meant. */
  unsavedAt(path: string): EditorBuffer[] {
    const own = this.unsavedFiles.hasBuffers ? this.#unsavedAt(resolveWorkspaceEntry(this.workspace, path)) : undefined
    return own ? [own.buffer] : []
  }

  /** The same, with all that is beneath it. */
  unsavedIn(path: string): EditorBuffer[] {
    return [...this.unsavedAt(path), ...this.unsavedFiles.buffersUnder(path)]
  }

  /** Opens a regular file; the caller closes it. */
  open(path: string): OpenFile {
    const place = this.walk(path)
    try {
      this.assertNotServerState(place, path)
      return this.openAt(place, path)
    } finally {
      place.close()
    }
  }

  /** What a change would replace: undefined where nothing is. */
  async snapshot(path: string): Promise<FileSnapshot | undefined> {
    const place = this.walk(path)
    let file: OpenFile
    let unsaved: UnsavedBuffer | undefined
    try {
      this.assertNotServerState(place, path)
      if (!place.stat) {
        if (this.#approvedState.differs(place.path, () => 'absent')) throw staleFileError(path)
        return undefined
      }
      file = this.openAt(place, path)
      unsaved = this.unsavedFiles.editorTargetAt(place)
    } finally {
      place.close()
    }
    try {
      const found = unsaved
        ? new FileSnapshot({ path: file.path, size: unsaved.bytes.length, stat: file.stat }, unsaved.bytes, unsaved)
        : new FileSnapshot(file, file.size > MAX_HASHED_FILE_BYTES ? undefined : await file.bytes(this.effects.signal))
      if (this.#approvedState.differs(found.path, () => found.hash ?? `stat:${statFingerprint(found.stat)}`))
        throw staleFileError(path)
      return found
    } finally {
      file.close()
    }
  }

  /** What is at a path itself; undefined where nothing is. */
  inspectEntry(path: string): EntryInfo | undefined {
    const place = this.assertSameResolution(path, resolveWorkspaceEntry(this.workspace, path))
    try {
      this.assertNotServerState(place, path)
      const { stat } = place
      if (!stat) return undefined
      const type = entryTypeOf(stat)
      const target = type === 'symlink' && { target: readlinkSync(place.accessPath) }
      return { path: place.path, type, mode: Number(stat.mode & 0o7777n), ...target }
    } finally {
      place.close()
    }
  }

  /** What lies below a folder. */
  listing(path: string, query: ListingQuery): Promise<Listing> {
    const place = this.walk(path)
    place.close()
    this.assertNotServerState(place, path)
    if (!place.stat) throw fileNotFoundError(path)
    if (!place.stat.isDirectory())
      throw new ToolError('NOT_A_DIRECTORY', `${quotePath(path)} is not a folder.`, { path })
    return listFolder(this.workspace, this.guard, place.path, query)
  }

  /** A folder's entries, sorted by name, of those `shown`; the server's own are left out. */
  entries(path: string, shown: (name: string) => boolean = () => true): DirectoryEntry[] {
    const place = this.walk(path)
    try {
      this.assertNotServerState(place, path)
      if (!place.stat) throw fileNotFoundError(path)
      if (!place.stat.isDirectory())
        throw new ToolError('NOT_A_DIRECTORY', `${quotePath(path)} is not a folder.`, { path })
      return this.#entriesAt(place, shown)
    } catch (error) {
      throw toFileError(error, path)
    } finally {
      place.close()
    }
  }

  /** Whether policy was told of the entry at this path, and not of what a link there leads to. */
  protected isResolvedAsEntry(path: string): boolean {
    return this.#entries.has(path)
  }

  #remember(path: string, place: ResolvedEntry): PathClassification {
    place.close()
    const resolved = this.#judge(place)
    this.resolvedPaths.set(path, resolved)
    this.#approvedState.release()
    this.unsavedFiles.markResolved(resolved.path)
    return resolved
  }

  #judge(place: CanonicalEntry): PathClassification {
    const judged = classifyPath(this.workspace, this.guard, place)
    return judged.self_starting
      ? judged
      : { ...judged, self_starting: this.#isForRepository(place.path, judged.kind === 'directory') }
  }

  #isForRepository(path: string, isFolder: boolean): boolean {
    return isGitRepositoryFile(path, isFolder, file => {
      const { stat, close } = resolveWorkspaceEntry(this.workspace, file)
      close()
      return stat !== undefined && !stat.isDirectory()
    })
  }

  /** Walks, and holds the path to what policy was told of it. */
  protected walk(path: string): ResolvedEntry {
    return this.assertSameResolution(path, resolveWorkspacePath(this.workspace, path))
  }

  protected assertSameResolution(path: string, place: ResolvedEntry): ResolvedEntry {
    const judged = this.resolvedPaths.get(path)
    if (!judged || judged.path === place.path) return place
    place.close()
    throw staleFileError(path)
  }

  protected assertNotServerState(place: ResolvedEntry, given: string) {
    if (classifyPath(this.workspace, this.guard, place).protected !== 'all') return
    throw new ToolError('SENSITIVE_PATH', `${quotePath(given)} belongs to the server.`, { path: given })
  }

  #unsavedAt(place: ResolvedEntry): UnsavedBuffer | undefined {
    try {
      return this.unsavedFiles.at(place)
    } finally {
      place.close()
    }
  }

  protected openAt(place: ResolvedEntry, given: string): OpenFile {
    if (!place.stat) throw fileNotFoundError(given)
    // Looked at before it is opened: opening a FIFO or a device can already do something.
    if (!place.stat.isFile()) throw notAFileError(given, place.stat)
    let fd: number | undefined
    try {
      fd = openSync(place.accessPath, READ | this.workspace.dirAccess.noFollowFlags)
      const stat = fstatSync(fd, { bigint: true })
      if (!stat.isFile()) throw notAFileError(given, stat)
      return new OpenFile(fd, place.path, stat)
    } catch (error) {
      if (fd !== undefined) closeSync(fd)
      throw toFileError(error, given)
    }
  }

  #entriesAt(place: ResolvedEntry, shown: (name: string) => boolean): DirectoryEntry[] {
    const folder = place.path === '.' ? '' : place.path
    const fd = openSync(place.accessPath, FOLDER | this.workspace.dirAccess.noFollowFlags)
    try {
      const prefix = this.workspace.dirAccess.entryPrefix(this.workspace, fd, folder)
      return readdirSync(prefix)
        .filter(shown)
        .sort(byCodeUnits)
        .flatMap(name => this.#entry(prefix, folder ? `${folder}/${name}` : name, name))
    } finally {
      closeSync(fd)
    }
  }

  #entry(prefix: string, path: string, name: string): DirectoryEntry[] {
    const protection = classifyPath(this.workspace, this.guard, { path, stat: undefined }).protected
    if (protection === 'all') return []
    const stat = lstatSync(prefix + name, { bigint: true, throwIfNoEntry: false })
    // Gone meanwhile, or a name that is not UTF-8 and cannot be reached by one.
    if (!stat) return []
    const closed = protection !== undefined
    return [
      { name, path, type: entryTypeOf(stat), size: Number(stat.size), modified: stat.mtime.toISOString(), closed }
    ]
  }
}

const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

export const fileNotFoundError = (path: string) =>
  new ToolError('FILE_NOT_FOUND', `${quotePath(path)} does not exist.`, { path })

export const staleFileError = (path: string) =>
  new ToolError('STALE_FILE', `${quotePath(path)} is no longer what it was when the call was judged or read.`, { path })

export const notAFileError = (path: string, stat: BigIntStats) =>
  new ToolError('NOT_A_FILE', `${quotePath(path)} is ${stat.isDirectory() ? 'a folder' : 'not a regular file'}.`, {
    path
  })
