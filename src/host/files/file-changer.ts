// What every change of files goes through: what is protected is refused, nothing shows before the call's intent is
// durable, what shows is written down and told, and what fails leaves nothing behind.
import { setImmediate } from 'node:timers/promises'
import { ToolError } from '../../errors.ts'
import type { Change } from '../change.ts'
import type { Effects } from '../effects.ts'
import { openUndoStorage, type UndoStorage } from '../undo-store/undo-storage.ts'
import type { Workspace } from '../workspace.ts'
import { quotePath, toFileError } from './errno.ts'
import { FileReader, fileNotFoundError, staleFileError } from './file-reader.ts'
import { createMissingFolders, folderCreatedChange, removeCreatedFolders } from './missing-folders.ts'
import { type ResolvedEntry, resolveWorkspaceEntry } from './paths.ts'
import { classifyPath, type PathGuard } from './policy/path-policy.ts'
import { archiveEntry, inspectMovedEntry, type RemovedEntry } from './removed-entry.ts'
import { settleAll } from './settle-all.ts'
import { fsync } from './write-content.ts'

/** What makes changes show. */
interface VisibleChange {
  changes: Change[]
  /** Folders made for them, which stay with them. */
  createdFolders?: readonly string[]
  apply(): void
  /** Makes that undone. */
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

  /** Runs a change at a place: refuses what is protected, explains what fails, and takes back the folders made for nothing. */
  protected async runChange<T>(
    path: string,
    place: ResolvedEntry,
    change: (place: ResolvedEntry, made: string[]) => Promise<T>
  ): Promise<T> {
    const made: string[] = []
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
      place.close()
    }
  }

  /** Walks to the entry that a path names, be it a link, and holds it to what was judged. */
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

  /** Refuses a path that leads elsewhere now than it will, where what is there then is guarded otherwise. */
  protected assertNewPathAllowed(path: string, given: string) {
    const then = classifyPath(this.workspace, this.guard, { path, stat: undefined })
    if (then.protected !== undefined) throw protectedPathError(given)
    const judged = this.resolvedPaths.get(given)
    if (judged && judged.path !== path && (then.sensitive || then.self_starting)) throw staleFileError(given)
  }

  /** Makes what is missing above a place. The caller closes what this gives. */
  protected createMissingFolders(place: ResolvedEntry, made: string[]): Promise<ResolvedEntry> {
    return createMissingFolders(this.workspace, this.effects, place, { made, happen: this.#applyFolderChange })
  }

  /** The last gate before something shows. */
  protected async awaitIntent() {
    await this.effects.commitIntent()
    this.effects.signal.throwIfAborted()
  }

  /** Does what makes changes show and, once that is durable, tells them. Where the disk fails, they are taken back. */
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

  /** The same for changes that are made durable later, or that nothing depends on. */
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

  /** Keeps what is about to go from a place. */
  protected archive(place: ResolvedEntry, given: string): Promise<RemovedEntry> {
    if (!place.stat) throw fileNotFoundError(given)
    this.unsavedFiles.assertNoConflict(place)
    return archiveEntry(place, () => this.openAt(place, given), this.undoStorage.blobs)
  }

  /** Looks at what is about to move from a place. */
  protected inspectMoved(place: ResolvedEntry, given: string): Promise<RemovedEntry> {
    return inspectMovedEntry(place, () => this.openAt(place, given), this.undoStorage.blobs)
  }

  /** Lets others have their turn. */
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
