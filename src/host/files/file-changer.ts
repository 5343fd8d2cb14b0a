// Common path of all file mutations: refuses protected paths, makes nothing visible before the call's intent is durable, logs and
// reports what becomes visible, and leaves nothing behind on failure.
import { setImmediate } from 'node:timers/promises'
import { ToolError } from '../../errors.ts'
import type { Change } from '../change.ts'
import type { Effects } from '../effects.ts'
import { openUndoStorage, type UndoStorage } from '../undo-store/undo-storage.ts'
import type { Workspace } from '../workspace.ts'
import { quotePath, staleFileError, toFileError } from './errno.ts'
import { FileReader, fileNotFoundError } from './file-reader.ts'
import { createMissingFolders, folderCreatedChange, removeCreatedFolders } from './missing-folders.ts'
import { type ResolvedEntry, resolveWorkspaceEntry } from './paths.ts'
import { classifyPath, type PathGuard } from './policy/path-policy.ts'
import { archiveEntry, inspectMovedEntry, type RemovedEntry } from './removed-entry.ts'
import { settleAll } from './settle-all.ts'
import { fsync } from './write-content.ts'

/** A step that makes changes visible. */
interface VisibleChange {
  changes: Change[]
  /** Folders created for the changes; they are retained together with them. */
  createdFolders?: readonly string[]
  apply(): void
  /** Reverts the step. */
  revert(): void
  /** Descriptors of the folders in which names change. */
  folders: readonly number[]
}

export class FileChanger extends FileReader {
  protected readonly undoStorage: UndoStorage

  constructor(
    workspace: Workspace,
    guard: PathGuard,
    effects: Effects,
    keeping: UndoStorage = openUndoStorage(guard.stateDir)
  ) {
    super(workspace, guard, effects)
    this.undoStorage = keeping
  }

  /** Runs a change at a path: refuses protected paths, explains failures, and removes folders created in vain. */
  protected async runChange<T>(
    path: string,
    place: ResolvedEntry,
    change: (place: ResolvedEntry, made: string[]) => Promise<T>
  ): Promise<T> {
    const made: string[] = []
    const endChange = this.effects.beginChange?.([place.path])
    try {
      this.assertChangeable(place, path)
      if (place.isBlocked)
        throw new ToolError('NOT_A_DIRECTORY', `A part above ${quotePath(path)} is not a folder.`, { path })
      const result = await change(place, made)
      this.resolvedPaths.delete(path)
      return result
    } catch (error) {
      removeCreatedFolders(this.workspace, made, this.#applyFolderChange)
      throw toFileError(error, path)
    } finally {
      endChange?.()
      place.close()
    }
  }

  /** Walks to the entry that a path names without following a final link, and verifies it against its classification. */
  protected walkToEntry(path: string): ResolvedEntry {
    if (this.isResolvedAsEntry(path))
      return this.assertSameResolution(path, resolveWorkspaceEntry(this.workspace, path))
    this.walk(path).close()
    const entry = resolveWorkspaceEntry(this.workspace, path)
    return entry.stat?.isSymbolicLink() ? entry : this.assertSameResolution(path, entry)
  }

  protected assertChangeable(place: ResolvedEntry, given: string) {
    if (place.path === '.')
      throw new ToolError('PERMISSION_DENIED', 'The root of the workspace itself is never changed.')
    this.assertNotServerState(place, given)
    if (classifyPath(this.workspace, this.guard, place).protected !== undefined) throw protectedPathError(given)
  }

  /** Refuses a path that resolves elsewhere now than after the change, if the entry there then is protected differently. */
  protected assertNewPathAllowed(path: string, given: string) {
    const then = classifyPath(this.workspace, this.guard, { path, stat: undefined })
    if (then.protected !== undefined) throw protectedPathError(given)
    const judged = this.resolvedPaths.get(given)
    if (judged && judged.path !== path && (then.sensitive || then.self_starting)) throw staleFileError(given)
  }

  /** Creates the missing folders above an entry. The caller closes the result. */
  protected createMissingFolders(place: ResolvedEntry, made: string[]): Promise<ResolvedEntry> {
    return createMissingFolders(this.workspace, this.effects, place, { made, happen: this.#applyFolderChange })
  }

  /** Waits for the durable intent: the last check before a change becomes visible. */
  protected async awaitIntent() {
    await this.effects.commitIntent()
    this.effects.signal.throwIfAborted()
  }

  /** Applies a visible change and reports it once it is durable. If the disk fails, it is reverted. */
  protected async commitChange({ changes, createdFolders = [], apply, revert, folders }: VisibleChange) {
    const number = this.#logAndApply(changes, apply)
    try {
      await settleAll(...folders.map(folder => fsync(folder)))
    } catch (error) {
      if (succeeds(revert)) this.undoStorage.log.markReverted(number)
      else this.report([...createdFolders.map(folderCreatedChange), ...changes])
      throw error
    }
    this.report([...createdFolders.map(folderCreatedChange), ...changes])
  }

  /** Applies changes that are made durable later, or on which nothing depends. */
  protected applyUnsynced(changes: Change[], act: () => void) {
    this.#logAndApply(changes, act)
    this.report(changes)
  }

  protected report(changes: readonly Change[]) {
    for (const change of changes) this.effects.recordChange(change)
  }

  #logAndApply(changes: Change[], act: () => void): number {
    const { log, call } = this.undoStorage
    return log.logAndApply({ call, root: this.workspace.root, changes }, act)
  }

  readonly #applyFolderChange = (change: Change, act: () => void) => {
    this.#logAndApply([change], act)
  }

  /** Stores an entry's content before it is removed. */
  protected archive(place: ResolvedEntry, given: string): Promise<RemovedEntry> {
    if (!place.stat) throw fileNotFoundError(given)
    this.unsavedFiles.assertNoConflict(place)
    return archiveEntry(place, () => this.openAt(place, given), this.undoStorage.blobs)
  }

  /** Inspects an entry before it is moved. */
  protected inspectMoved(place: ResolvedEntry, given: string): Promise<RemovedEntry> {
    return inspectMovedEntry(place, () => this.openAt(place, given), this.undoStorage.blobs)
  }

  protected async yieldToEventLoop() {
    await setImmediate()
    this.effects.signal.throwIfAborted()
  }
}

function succeeds(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

export const protectedPathError = (path: string) =>
  new ToolError('PERMISSION_DENIED', `${quotePath(path)} is protected: no call may change it.`, { path })
