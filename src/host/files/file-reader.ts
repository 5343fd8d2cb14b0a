// Read access to the files of one workspace, for one call. Every path is walked and classified again each time (see `paths.ts`).

import { type BigIntStats, closeSync, constants, fstatSync } from 'node:fs'
import nodePath from 'node:path'
import { ToolError } from '../../errors.ts'
import type { EditorBuffer } from '../editors/editor-buffers.ts'
import type { UnsavedBuffer } from '../editors/unsaved-buffer.ts'
import { UnsavedFiles } from '../editors/unsaved-files.ts'
import type { Effects } from '../effects.ts'
import type { Workspace } from '../workspace.ts'
import { lstatSync, openSync, readdirSync } from './byte-path-fs.ts'
import { hashBytes, hashChunks } from './content-source.ts'
import { quotePath, staleFileError, toFileError } from './errno.ts'
import {
  type DirectoryEntry,
  type EntryInfo,
  entryTypeOf,
  FileSnapshot,
  MAX_HASHED_FILE_BYTES
} from './file-snapshot.ts'
import { fileIdentity, isRacyStat, statFingerprint } from './fingerprint.ts'
import { type Listing, type ListingQuery, listFolder } from './listing.ts'
import { OpenFile } from './open-file.ts'
import { type ResolvedEntry, resolveLiteralEntry, resolveWorkspaceEntry, resolveWorkspacePath } from './paths.ts'
import { ApprovedState } from './policy/approved-state.ts'
import { findNamedInFolder, isNamedByGitConfig } from './policy/git-programs.ts'
import { isGitRepositoryFile } from './policy/git-repository-files.ts'
import {
  type CanonicalEntry,
  classifyPath,
  getProtection,
  type PathClassification,
  type PathGuard,
  serverEntriesOf
} from './policy/path-policy.ts'
import { readLink } from './read-link.ts'
import { type FolderRename, findRenameEffects, type RenameEffect } from './rename-effects.ts'
import { fingerprintTree } from './tree-fingerprint.ts'

const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY

/** Returns the image of an entry, as `FileReader.preimage` describes it; undefined for a file that was not read. */
type ObservedImage = (() => string) | undefined

export class FileReader {
  protected readonly workspace: Workspace
  protected readonly guard: PathGuard
  protected readonly effects: Effects
  /** The classification of each path reported to policy. It must still hold when the call acts. */
  protected readonly resolvedPaths = new Map<string, PathClassification>()
  /** Those of the resolved paths that mean the entry itself, without following a link. */
  readonly #entries = new Set<string>()
  protected readonly unsavedFiles: UnsavedFiles
  readonly #approvedState = new ApprovedState()
  /** Images of the entries that are looked at, while they are observed. */
  #observed: Map<string, ObservedImage> | undefined

  constructor(workspace: Workspace, guard: PathGuard, effects: Effects) {
    this.workspace = workspace
    this.guard = guard
    this.effects = effects
    this.unsavedFiles = new UnsavedFiles(effects.editors, place => this.openAt(place, place.path))
  }

  /** Forgets what earlier paths led to, for an evaluation of the call as it is now: a link may lead elsewhere. */
  protected forgetResolutions() {
    this.resolvedPaths.clear()
    this.#entries.clear()
    this.#approvedState.release()
  }

  /** Resolves and classifies a path for policy. From here on the call acts on that result or fails. */
  resolve(path: string): PathClassification {
    return this.#remember(path, resolveWorkspacePath(this.workspace, path))
  }

  /** Resolves and classifies an entry itself: a link there is not followed, neither now nor later. */
  resolveEntry(path: string): PathClassification {
    this.#entries.add(path)
    return this.#remember(path, resolveWorkspaceEntry(this.workspace, path))
  }

  /** Resolves and classifies an entry itself, as its path is written: no link is followed, neither now nor later. */
  resolveLiteral(path: string): PathClassification {
    this.#entries.add(path)
    return this.#remember(path, resolveLiteralEntry(this.workspace, path))
  }

  /** Classifies a path for tools, which act on the earlier classification: binds nothing. */
  peek(path: string): PathClassification {
    const place = this.walk(path)
    place.close()
    return this.#judge(place)
  }

  /** Classifies an entry itself, without following a link; binds nothing. */
  peekEntry(path: string): PathClassification {
    const place = this.assertSameResolution(path, resolveWorkspaceEntry(this.workspace, path))
    place.close()
    return this.#judge(place)
  }

  /** Classifies an entry itself, without following any link; binds nothing. */
  peekLiteral(path: string): PathClassification {
    const place = this.assertSameResolution(path, resolveLiteralEntry(this.workspace, path))
    place.close()
    return this.#judge(place)
  }

  /**
   * Finds the entries of a folder whose security classification changes under its new name. Both names were classified before.
   */
  async findRenameEffects(renaming: FolderRename): Promise<RenameEffect[]> {
    const { workspace, guard } = this
    const effects = await findRenameEffects(renaming, {
      workspace,
      guard,
      entries: folder => this.entries(folder),
      isForRepository: (path, isFolder) => this.#isForRepository(path, isFolder)
    })
    return [...effects, ...this.#findArrivingPrograms(renaming)]
  }

  /** Returns a string that differs when the content does. The path is canonical: no link is followed. */
  preimage(path: string): string {
    const image = this.#preimageOf(path)
    this.#approvedState.record(path, image)
    return image
  }

  /** Returns a hash that differs when something in a folder changes; undefined if there is no folder at the canonical path. */
  async fingerprintTree(path: string): Promise<string | undefined> {
    const place = resolveLiteralEntry(this.workspace, path)
    place.close()
    if (!place.stat?.isDirectory()) return undefined
    return fingerprintTree(this.workspace, path, this.effects.signal)
  }

  /** Records that a decision is based on this image of a canonical path. */
  recordImage(path: string, image: string) {
    this.#approvedState.record(path, image)
  }

  /** Returns the result of `work` with the images of the entries that it has looked at, by canonical path. */
  async observe<T>(work: () => Promise<T> | T): Promise<{ result: T; images: Map<string, ObservedImage> }> {
    const images = new Map<string, ObservedImage>()
    this.#observed = images
    try {
      return { result: await work(), images }
    } finally {
      this.#observed = undefined
    }
  }

  #recordObserved(path: string, image: ObservedImage) {
    this.#observed?.set(path, image)
  }

  /** Returns the content hash of a file of any size; of anything else, and of a file that changes meanwhile, its preimage. */
  async contentHash(path: string): Promise<string> {
    const image = this.preimage(path)
    if (!image.startsWith('stat:')) return image
    const place = resolveLiteralEntry(this.workspace, path)
    try {
      const file = this.openAt(place, path)
      try {
        const hash = await hashChunks(file.chunks(this.effects.signal))
        return image === `stat:${statFingerprint(file.stat)}` && file.isUnchanged() ? hash : image
      } finally {
        file.close()
      }
    } catch (error) {
      if (error instanceof ToolError && ['PERMISSION_DENIED', 'NOT_A_FILE'].includes(error.code)) return image
      throw error
    } finally {
      place.close()
    }
  }

  /** Binds the call to the states that `preimage` has returned: until it is classified again, it acts on those or fails. */
  bindApprovedState() {
    this.#approvedState.bind()
  }

  #preimageOf(path: string): string {
    const place = resolveLiteralEntry(this.workspace, path)
    try {
      const { stat } = place
      const replaced = this.unsavedFiles.editorTargetAt(place)
      if (replaced) return hashBytes(replaced.bytes)
      if (!stat) return 'absent'
      if (stat.isDirectory()) return 'directory'
      if (stat.isSymbolicLink()) return `link:${readLink(place)}`
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

  /** Fingerprints a file or folder without reading it; undefined if a further change might go unnoticed. */
  fingerprint(path: string): string | undefined {
    const place = resolveWorkspacePath(this.workspace, path)
    place.close()
    return place.stat && !isRacyStat(place.stat) ? statFingerprint(place.stat) : undefined
  }

  /** Returns the unsaved content that an editor has of the file. */
  unsaved(path: string): UnsavedBuffer | undefined {
    return this.unsavedFiles.hasBuffers ? this.#unsavedAt(this.walk(path)) : undefined
  }

  /** Returns the editor buffers of a canonical path; no link is followed. */
  unsavedAt(path: string): EditorBuffer[] {
    const own = this.unsavedFiles.hasBuffers ? this.#unsavedAt(resolveLiteralEntry(this.workspace, path)) : undefined
    return own ? [own.buffer] : []
  }

  /** Returns the editor buffers of a canonical path and its descendants. */
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

  /**
   * Reads a file as it is on disk, whatever editors hold. Returns only a fingerprint for one larger than `max_bytes`; undefined if
   * there is no file that can be read.
   */
  identify(path: string, max_bytes: number): { hash: string; bytes?: Buffer } | undefined {
    try {
      const file = this.open(path)
      try {
        if (file.size > max_bytes) return { hash: `stat:${statFingerprint(file.stat)}` }
        const bytes = file.bytesSync()
        return { hash: hashBytes(bytes), bytes }
      } finally {
        file.close()
      }
    } catch (error) {
      if (error instanceof ToolError) return undefined
      throw error
    }
  }

  /** Takes a snapshot of the file that a change would replace; undefined if there is none. */
  async snapshot(path: string): Promise<FileSnapshot | undefined> {
    const place = this.walk(path)
    let file: OpenFile
    let unsaved: UnsavedBuffer | undefined
    try {
      this.assertNotServerState(place, path)
      if (!place.stat) {
        const image = () => 'absent'
        if (this.#approvedState.differs(place.path, image)) throw staleFileError(path)
        this.#recordObserved(place.path, image)
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
      const image = () => found.hash ?? `stat:${statFingerprint(found.stat)}`
      if (this.#approvedState.differs(found.path, image)) throw staleFileError(path)
      this.#recordObserved(found.path, image)
      return found
    } finally {
      file.close()
    }
  }

  /** Inspects the entry at a path without following a final link; undefined if there is none. */
  inspectEntry(path: string): EntryInfo | undefined {
    return this.#inspect(path, resolveWorkspaceEntry(this.workspace, path))
  }

  /** Inspects the entry at a path without following any link; undefined if there is none. */
  inspectLiteral(path: string): EntryInfo | undefined {
    return this.#inspect(path, resolveLiteralEntry(this.workspace, path))
  }

  #inspect(path: string, resolved: ResolvedEntry): EntryInfo | undefined {
    const place = this.assertSameResolution(path, resolved)
    try {
      this.assertNotServerState(place, path)
      const { stat } = place
      if (!stat) {
        this.#recordObserved(place.path, () => 'absent')
        return undefined
      }
      const type = entryTypeOf(stat)
      const target = type === 'symlink' && { target: readLink(place) }
      if (target) this.#recordObserved(place.path, () => `link:${target.target}`)
      else if (type === 'directory') this.#recordObserved(place.path, () => 'directory')
      else if (!this.#observed?.has(place.path)) this.#recordObserved(place.path, undefined)
      const identity = type === 'file' && { identity: fileIdentity(stat) }
      return { path: place.path, type, mode: Number(stat.mode & 0o7777n), ...target, ...identity }
    } finally {
      place.close()
    }
  }

  /** Lists the descendants of a folder. */
  listing(path: string, query: ListingQuery): Promise<Listing> {
    const place = this.walk(path)
    place.close()
    this.assertNotServerState(place, path)
    if (!place.stat) throw fileNotFoundError(path)
    if (!place.stat.isDirectory())
      throw new ToolError('NOT_A_DIRECTORY', `${quotePath(path)} is not a folder.`, { path })
    return listFolder(this.workspace, this.guard, place.path, query)
  }

  /** Returns a folder's entries, sorted by name and filtered by `shown`; the server's own are left out. */
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

  /** Checks if policy classified the entry at this path rather than the target of a link there. */
  protected isResolvedAsEntry(path: string): boolean {
    return this.#entries.has(path)
  }

  #remember(path: string, place: ResolvedEntry): PathClassification {
    place.close()
    const resolved = withSelfStarting(
      classifyPath(this.workspace, this.guard, place),
      judged => this.#isForRepository(judged.path, judged.kind === 'directory') || this.#isNamedByGit(judged.path)
    )
    this.resolvedPaths.set(path, resolved)
    this.#approvedState.release()
    this.unsavedFiles.markResolved(resolved.path)
    return resolved
  }

  #judge(place: CanonicalEntry): PathClassification {
    return withSelfStarting(classifyPath(this.workspace, this.guard, place), judged =>
      this.#isForRepository(judged.path, judged.kind === 'directory')
    )
  }

  #isForRepository(path: string, isFolder: boolean): boolean {
    return isGitRepositoryFile(path, isFolder, file => {
      const { stat, close } = resolveWorkspaceEntry(this.workspace, file)
      close()
      return stat !== undefined && !stat.isDirectory()
    })
  }

  #isNamedByGit(file: string): boolean {
    return isNamedByGitConfig(nodePath.join(this.workspace.root, file), this.guard.gitUser)
  }

  /** Returns the entries of a folder that get a name for which git runs or reads them. */
  #findArrivingPrograms({ from, to }: FolderRename): RenameEffect[] {
    if (from.kind !== 'directory') return []
    const target = nodePath.join(this.workspace.root, to.path)
    return findNamedInFolder(target, this.guard.gitUser).flatMap(file => {
      const inner = nodePath.relative(target, file)
      const arrives = inner !== '' && this.peekEntry(`${from.path}/${inner}`).kind !== 'missing'
      const now = arrives && this.peekEntry(`${to.path}/${inner}`)
      return now ? [{ ...now, self_starting: true, access: 'write' as const }] : []
    })
  }

  /** Walks a path and verifies the result against its classification. */
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
    throw serverFileError(given)
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
    // Checked before it is opened: opening a FIFO or a device can already have effects.
    if (!place.stat.isFile()) throw notAFileError(given, place.stat)
    let fd: number | undefined
    try {
      fd = openSync(place.accessPath, READ | this.workspace.dirAccess.noFollowFlags)
      const stat = fstatSync(fd, { bigint: true })
      if (!stat.isFile()) throw notAFileError(given, stat)
      if (serverEntriesOf(this.guard).has(stat)) throw serverFileError(given)
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
    const stat = lstatSync(prefix + name, { bigint: true, throwIfNoEntry: false })
    // Removed concurrently, or a name that is not UTF-8 and therefore unreachable.
    if (!stat) return []
    const protection = getProtection(this.workspace, this.guard, path, stat)
    if (protection === 'all') return []
    const closed = protection !== undefined
    return [
      { name, path, type: entryTypeOf(stat), size: Number(stat.size), modified: stat.mtime.toISOString(), closed }
    ]
  }
}

const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

export const fileNotFoundError = (path: string) =>
  new ToolError('FILE_NOT_FOUND', `${quotePath(path)} does not exist.`, { path })

const serverFileError = (path: string) =>
  new ToolError('SENSITIVE_PATH', `${quotePath(path)} belongs to the server.`, { path })

export const notAFileError = (path: string, stat: BigIntStats) =>
  new ToolError('NOT_A_FILE', `${quotePath(path)} is ${stat.isDirectory() ? 'a folder' : 'not a regular file'}.`, {
    path
  })

/** Also asks `isSelfStarting`, once it matters: a read never does, and the answer takes several system calls. */
function withSelfStarting(
  judged: PathClassification,
  isSelfStarting: (judged: PathClassification) => boolean
): PathClassification {
  if (judged.self_starting) return judged
  let answer: boolean | undefined
  return {
    ...judged,
    get self_starting() {
      answer ??= isSelfStarting(judged)
      return answer
    }
  }
}
