// Files of one workspace, for one call. Paths are classified for policy (`resolved-paths.ts`), a decision is bound to what was looked at
// (`entry-images.ts`), `file-reader.ts` has the read access, and `changes/` the changes: each waits until the call's intent is durable,
// is atomic, and is reported; removed content is stored for undo.
import type { EditorBuffer } from '../editors/editor-buffers.ts'
import type { UnsavedBuffer } from '../editors/unsaved-buffer.ts'
import type { Effects } from '../effects.ts'
import type { StoredBlob } from '../undo-store/stored-blob.ts'
import { openUndoStorage, type UndoStorage } from '../undo-store/undo-storage.ts'
import type { Workspace } from '../workspace.ts'
import { applyTransaction } from './changes/apply-transaction.ts'
import { FileChanges } from './changes/file-changes.ts'
import { listTree, type TreeMember } from './changes/list-tree.ts'
import { makeDirectories, makeDirectory } from './changes/make-directory.ts'
import { type MovedPaths, moveEntry, moveEntryOver } from './changes/move-entry.ts'
import { removeEntry, removeTree } from './changes/remove-entry.ts'
import { createFile, replaceFile, type WriteResult } from './changes/write-file.ts'
import { type ContentSource, countAddedLines, type LineChangeCounter } from './content-source.ts'
import type { ObservedImage } from './entry-images.ts'
import { FileReader } from './file-reader.ts'
import { createFileScope, type FileScope } from './file-scope.ts'
import type { DirectoryEntry, EntryInfo, FileSnapshot } from './file-snapshot.ts'
import type { Listing, ListingQuery } from './listing.ts'
import type { OpenFile } from './open-file.ts'
import { AllowedChanges } from './policy/allowed-changes.ts'
import type { PathClassification, PathGuard } from './policy/path-policy.ts'
import { type FolderRename, findRenameEffects, type RenameEffect } from './rename-effects.ts'
import type { TransactionStep } from './transaction/transaction-step.ts'

export class Files {
  readonly allowedChanges = new AllowedChanges()
  readonly #scope: FileScope
  readonly #reader: FileReader
  readonly #changes: FileChanges

  constructor(
    workspace: Workspace,
    guard: PathGuard,
    effects: Effects,
    undoStorage: UndoStorage = openUndoStorage(guard.stateDir)
  ) {
    this.#scope = createFileScope(workspace, guard, effects)
    this.#reader = new FileReader(this.#scope)
    this.#changes = new FileChanges(this.#scope, undoStorage)
  }

  /** Revokes what an earlier evaluation of the call allowed, and forgets where its paths led. */
  forgetEvaluation() {
    this.allowedChanges.restrict()
    this.#scope.paths.forgetAll()
  }

  /**
   * Accepts a path as a caller wrote it, and returns it. From here on it means the entry that looks the same, if none has its name. Throws
   * INVALID_PATH if it means something else, such as a home folder.
   */
  accept(path: string): string {
    return this.#scope.paths.accept(path)
  }

  /** Returns sentences about the entries that stand for names which look the same. */
  lookAlikeNotes(): string[] {
    return this.#scope.paths.lookAlikeNotes()
  }

  /** Resolves and classifies a path for policy. From here on the call acts on that result or fails. */
  resolve(path: string): PathClassification {
    return this.#scope.paths.resolve(path)
  }

  /** Resolves and classifies an entry itself: a link there is not followed, neither now nor later. */
  resolveEntry(path: string): PathClassification {
    return this.#scope.paths.resolveEntry(path)
  }

  /** Resolves and classifies an entry itself, as its path is written: no link is followed, neither now nor later. */
  resolveLiteral(path: string): PathClassification {
    return this.#scope.paths.resolveLiteral(path)
  }

  /** Checks if programs execute or interpret a resolved file automatically, also because git's configuration names it. */
  isSelfStarting(place: Pick<PathClassification, 'path' | 'self_starting'>): boolean {
    return this.#scope.paths.isSelfStarting(place)
  }

  /** Classifies a path for tools, which act on the earlier classification: binds nothing. */
  peek(path: string): PathClassification {
    return this.#scope.paths.peek(path)
  }

  /** Classifies an entry itself, without following a link; binds nothing. */
  peekEntry(path: string): PathClassification {
    return this.#scope.paths.peekEntry(path)
  }

  /** Classifies an entry itself, without following any link; binds nothing. */
  peekLiteral(path: string): PathClassification {
    return this.#scope.paths.peekLiteral(path)
  }

  /**
   * Finds the entries of a folder whose security classification changes under its new name. Both names were classified before.
   */
  findRenameEffects(renaming: FolderRename): Promise<RenameEffect[]> {
    const { workspace, guard, paths } = this.#scope
    return findRenameEffects(renaming, {
      workspace,
      guard,
      entries: folder => this.#reader.entries(folder),
      peekEntry: path => paths.peekEntry(path)
    })
  }

  /** Returns a string that differs when the content does. The path is canonical: no link is followed. */
  preimage(path: string): string {
    return this.#scope.images.preimage(path)
  }

  /** Returns the content hash of a file of any size; of anything else, and of a file that changes meanwhile, its preimage. */
  contentHash(path: string): Promise<string> {
    return this.#scope.images.contentHash(path)
  }

  /** Records that a decision is based on this image of a canonical path. */
  recordImage(path: string, image: string) {
    this.#scope.images.record(path, image)
  }

  /** Returns the result of `work` with the images of the entries that it has looked at, by canonical path. */
  observe<T>(work: () => Promise<T> | T): Promise<{ result: T; images: Map<string, ObservedImage> }> {
    return this.#scope.images.observe(work)
  }

  /** Binds the call to the states that `preimage` has returned: until it is classified again, it acts on those or fails. */
  bindApprovedState() {
    this.#scope.images.bind()
  }

  /** Fingerprints a file or folder without reading it; undefined if a further change might go unnoticed. */
  fingerprint(path: string): string | undefined {
    return this.#reader.fingerprint(path)
  }

  /** Returns a hash that differs when something in a folder changes; undefined if there is no folder at the canonical path. */
  fingerprintTree(path: string): Promise<string | undefined> {
    return this.#reader.fingerprintTree(path)
  }

  /** Returns the unsaved content that an editor has of the file. */
  unsaved(path: string): UnsavedBuffer | undefined {
    return this.#reader.unsaved(path)
  }

  /** Returns the editor buffers of a canonical path; no link is followed. */
  unsavedAt(path: string): EditorBuffer[] {
    return this.#reader.unsavedAt(path)
  }

  /** Returns the editor buffers of a canonical path and its descendants. */
  unsavedIn(path: string): EditorBuffer[] {
    return this.#reader.unsavedIn(path)
  }

  /** Opens a regular file; the caller closes it. */
  open(path: string): OpenFile {
    return this.#reader.open(path)
  }

  /**
   * Reads a file as it is on disk, whatever editors hold. Returns only a fingerprint for one larger than `max_bytes`; undefined if
   * there is no file that can be read.
   */
  identify(path: string, max_bytes: number): { hash: string; bytes?: Buffer } | undefined {
    return this.#reader.identify(path, max_bytes)
  }

  /** Takes a snapshot of the file that a change would replace; undefined if there is none. */
  snapshot(path: string): Promise<FileSnapshot | undefined> {
    return this.#reader.snapshot(path)
  }

  /** Inspects the entry at a path without following a final link; undefined if there is none. */
  inspectEntry(path: string): EntryInfo | undefined {
    return this.#reader.inspectEntry(path)
  }

  /** Inspects the entry at a path without following any link; undefined if there is none. */
  inspectLiteral(path: string): EntryInfo | undefined {
    return this.#reader.inspectLiteral(path)
  }

  /** Lists the descendants of a folder. */
  listing(path: string, query: ListingQuery): Promise<Listing> {
    return this.#reader.listing(path, query)
  }

  /** Returns a folder's entries, sorted by name and filtered by `shown`; the server's own are left out. */
  entries(path: string, shown?: (name: string) => boolean): DirectoryEntry[] {
    return this.#reader.entries(path, shown)
  }

  /** Lists a path and its descendants, folders before their contents; links are not followed. */
  listTree(path: string): Promise<TreeMember[]> {
    return listTree(this.#changes, this.#reader, path)
  }

  /** Finds the stored blob of a hash without reading it: content that calls replaced or removed, or text that they wrote. */
  findStored(hash: string): StoredBlob | undefined {
    return this.#changes.undoStorage.blobs.find(hash)
  }

  /** Checks by size if removed content would be stored. */
  canArchive(size: number): boolean {
    return this.#changes.undoStorage.blobs.fits(size)
  }

  /** Creates a file, and its missing parent folders. Never overwrites. */
  create(
    path: string,
    content: ContentSource,
    lines: LineChangeCounter = () => countAddedLines(content)
  ): Promise<WriteResult> {
    return createFile(this.#changes, path, { content, lines })
  }

  /** Replaces a file's content and preserves its permissions, if it still matches the snapshot. */
  replace(
    path: string,
    was: FileSnapshot,
    content: ContentSource,
    lines: LineChangeCounter = () => undefined
  ): Promise<WriteResult> {
    return replaceFile(this.#changes, path, was, { content, lines })
  }

  /** Removes a file, a link (not its target), or an empty folder. Returns its path. */
  remove(path: string): Promise<string> {
    return removeEntry(this.#changes, path)
  }

  /** Removes a folder recursively. Fails before anything is removed if some of it is protected. Returns every removed path. */
  async removeTree(path: string): Promise<string[]> {
    return removeTree(this.#changes, path, await this.listTree(path))
  }

  /** Creates a folder in an existing one. Returns the created paths: none if the folder exists already. */
  makeDirectory(path: string): Promise<string[]> {
    return makeDirectory(this.#changes, path)
  }

  /** Creates a folder and its missing parents. */
  makeDirectories(path: string): Promise<string[]> {
    return makeDirectories(this.#changes, path)
  }

  /** Moves a file, a link or a folder to a free path and creates its missing parent folders. Never overwrites. */
  move(from: string, to: string): Promise<MovedPaths> {
    return moveEntry(this.#changes, { from, to, allowed: this.allowedChanges })
  }

  /** Moves a file over another. Folders are never replaced. */
  moveOver(from: string, to: string): Promise<MovedPaths> {
    return moveEntryOver(this.#changes, { from, to, allowed: this.allowedChanges })
  }

  /**
   * Applies all steps or none, also if the process is killed. Steps are checked against the tree before any of them: a path that
   * one step vacates is free for another. Paths for which the call was not authorized are refused.
   */
  runTransaction(steps: readonly TransactionStep[]): Promise<void> {
    return applyTransaction(this.#changes, this.allowedChanges, steps)
  }
}
