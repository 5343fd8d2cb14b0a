// Common path of all changes of files by one call: refuses protected paths, makes nothing visible before the call's intent is durable,
// logs and reports what becomes visible, and leaves nothing behind on failure.
import { setImmediate } from 'node:timers/promises'
import { ToolError } from '../../../errors.ts'
import type { Change } from '../../change.ts'
import type { UnsavedFiles } from '../../editors/unsaved-files.ts'
import type { Effects } from '../../effects.ts'
import type { UndoStorage } from '../../undo-store/undo-storage.ts'
import type { Workspace } from '../../workspace.ts'
import { staleFileError, toFileError } from '../errno.ts'
import { blockedPathError, fileNotFoundError, protectedPathError } from '../file-errors.ts'
import type { FileScope } from '../file-scope.ts'
import { createMissingFolders, folderCreatedChange, removeCreatedFolders } from '../missing-folders.ts'
import { openEntry } from '../open-entry.ts'
import type { OpenFile } from '../open-file.ts'
import type { ResolvedEntry } from '../paths.ts'
import { assertNotServerFile, classifyPath, type PathGuard } from '../policy/path-policy.ts'
import { archiveEntry, inspectMovedEntry, type RemovedEntry } from '../removed-entry.ts'
import type { ResolvedPaths } from '../resolved-paths.ts'
import { settleAll } from '../settle-all.ts'
import { fsync } from '../write-content.ts'

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

export class FileChanges {
  readonly workspace: Workspace
  readonly effects: Effects
  readonly paths: ResolvedPaths
  readonly unsaved: UnsavedFiles
  readonly undoStorage: UndoStorage
  readonly #guard: PathGuard

  constructor({ workspace, guard, effects, paths, unsaved }: FileScope, undoStorage: UndoStorage) {
    this.workspace = workspace
    this.effects = effects
    this.paths = paths
    this.unsaved = unsaved
    this.undoStorage = undoStorage
    this.#guard = guard
  }

  /** Runs a change at a path: refuses protected paths, explains failures, and removes folders created in vain. */
  async runChange<T>(
    path: string,
    place: ResolvedEntry,
    change: (place: ResolvedEntry, made: string[]) => Promise<T>
  ): Promise<T> {
    const made: string[] = []
    const endChange = this.effects.beginChange?.([place.path])
    try {
      this.assertChangeable(place, path)
      if (place.isBlocked) throw blockedPathError(path)
      const result = await change(place, made)
      this.paths.forget(path)
      return result
    } catch (error) {
      removeCreatedFolders(this.workspace, made, this.#applyFolderChange)
      throw toFileError(error, path)
    } finally {
      endChange?.()
      place.close()
    }
  }

  assertChangeable(place: ResolvedEntry, given: string) {
    if (place.path === '.') throw new ToolError('PERMISSION_DENIED', 'The root of the workspace cannot be changed.')
    assertNotServerFile(this.workspace, this.#guard, place, given)
    if (classifyPath(this.workspace, this.#guard, place).protected !== undefined) throw protectedPathError(given)
  }

  /** Refuses a path that resolves elsewhere now than after the change, if the entry there then is protected differently. */
  assertNewPathAllowed(path: string, given: string) {
    const then = classifyPath(this.workspace, this.#guard, { path, stat: undefined })
    if (then.protected !== undefined) throw protectedPathError(given)
    const judged = this.paths.find(given)
    if (judged && judged.path !== path && (then.sensitive || then.self_starting)) throw staleFileError(given)
  }

  /** Creates the missing folders above an entry. The caller closes the result. */
  createMissingFolders(place: ResolvedEntry, made: string[]): Promise<ResolvedEntry> {
    return createMissingFolders(this.workspace, this.effects, place, { made, happen: this.#applyFolderChange })
  }

  /** Waits for the durable intent: the last check before a change becomes visible. */
  async awaitIntent() {
    await this.effects.commitIntent()
    this.effects.signal.throwIfAborted()
  }

  /** Applies a visible change and reports it once it is durable. If the disk fails, it is reverted. */
  async commitChange({ changes, createdFolders = [], apply, revert, folders }: VisibleChange) {
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
  applyUnsynced(changes: Change[], act: () => void) {
    this.#logAndApply(changes, act)
    this.report(changes)
  }

  report(changes: readonly Change[]) {
    for (const change of changes) this.effects.recordChange(change)
  }

  /** Opens the file at a resolved path; the caller closes it. */
  openAt(place: ResolvedEntry, given: string): OpenFile {
    return openEntry(this.workspace, this.#guard, place, given)
  }

  /** Stores an entry's content before it is removed. */
  archive(place: ResolvedEntry, given: string): Promise<RemovedEntry> {
    if (!place.stat) throw fileNotFoundError(given)
    this.unsaved.assertNoConflict(place)
    return archiveEntry(place, () => this.openAt(place, given), this.undoStorage.blobs)
  }

  /** Inspects an entry before it is moved. */
  inspectMoved(place: ResolvedEntry, given: string): Promise<RemovedEntry> {
    return inspectMovedEntry(place, () => this.openAt(place, given), this.undoStorage.blobs)
  }

  async yieldToEventLoop() {
    await setImmediate()
    this.effects.signal.throwIfAborted()
  }

  #logAndApply(changes: Change[], act: () => void): number {
    const { log, call } = this.undoStorage
    return log.logAndApply({ call, root: this.workspace.root, changes }, act)
  }

  readonly #applyFolderChange = (change: Change, act: () => void) => {
    this.#logAndApply([change], act)
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
