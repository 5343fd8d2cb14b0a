// File mutations in one workspace, for one call. A change waits until the call's intent is durable, is atomic, and is reported;
// removed content is stored for undo. `file-changer.ts` has the common path of all changes, `file-reader.ts` the read access.

import { ToolError } from '../../errors.ts'
import type { Change } from '../change.ts'
import { applyInEditorBuffer } from '../editors/unsaved-buffer.ts'
import type { StoredBlob } from '../undo-store/stored-blob.ts'
import { NEW_FILE_MODE, writeFileAtomic } from './atomic-write.ts'
import { mkdirSync, renameSync, rmdirSync } from './byte-path-fs.ts'
import {
  type ContentSource,
  contentWriter,
  countAddedLines,
  type LineChange,
  type LineChangeCounter,
  sizeOfContent
} from './content-source.ts'
import { quotePath, staleFileError } from './errno.ts'
import { moveExclusive } from './exclusive-rename.ts'
import { fileNotFoundError, notAFileError } from './file-reader.ts'
import { FileRemover } from './file-remover.ts'
import { FileSnapshot } from './file-snapshot.ts'
import { statFingerprint } from './fingerprint.ts'
import { folderCreatedChange } from './missing-folders.ts'
import { OpenFile } from './open-file.ts'
import { deviceOf, type ResolvedEntry } from './paths.ts'
import { AllowedChanges } from './policy/allowed-changes.ts'
import { archiveContent, type RemovedEntry, restoreEntry } from './removed-entry.ts'
import { settleAll } from './settle-all.ts'
import { fileExistsError } from './transaction/plan.ts'
import { runTransaction } from './transaction/transaction.ts'
import type { TransactionStep } from './transaction/transaction-step.ts'

interface WriteResult {
  path: string
  size: number
  hash: string
}

export class Files extends FileRemover {
  readonly allowedChanges = new AllowedChanges()

  /** Revokes what an earlier evaluation of the call allowed, and forgets where its paths led. */
  forgetEvaluation() {
    this.allowedChanges.restrict()
    this.forgetResolutions()
  }

  /** Finds the stored blob of a hash without reading it: content that calls replaced or removed, or text that they wrote. */
  findStored(hash: string): StoredBlob | undefined {
    return this.undoStorage.blobs.find(hash)
  }

  /** Checks by size if removed content would be stored. */
  canArchive(size: number): boolean {
    return this.undoStorage.blobs.fits(size)
  }

  /**
   * Applies all steps or none, also if the process is killed. Steps are checked against the tree before any of them: a path that
   * one step vacates is free for another. Paths for which the call was not authorized are refused.
   */
  runTransaction(steps: readonly TransactionStep[]): Promise<void> {
    const { workspace, effects, undoStorage } = this
    const folders = new Set(steps.flatMap(step => (step.do === 'folder' ? [step.path] : [])))
    const refuseUnjudged = (path: string, given: string) => {
      const isAllowed = folders.has(given)
        ? this.allowedChanges.hasFolder(path, given)
        : this.allowedChanges.has(path, given)
      if (!isAllowed) throw staleFileError(given)
    }
    const allowed = (given: string, place: ResolvedEntry) => {
      try {
        refuseUnjudged(place.path, given)
        this.assertChangeable(place, given)
        this.unsavedFiles.assertNoConflict(place)
        return place
      } catch (error) {
        place.close()
        throw error
      }
    }
    return runTransaction(
      {
        workspace,
        effects,
        undoStorage,
        walk: path => allowed(path, this.walk(path)),
        walkToEntry: path => allowed(path, this.walkToEntry(path)),
        assertMovable: folder => this.unsavedFiles.assertNoConflictIn(folder),
        assertNewPathAllowed: (path, given) => {
          refuseUnjudged(path, given)
          this.assertNewPathAllowed(path, given)
        },
        openAt: (place, given) => this.openAt(place, given)
      },
      steps
    )
  }

  /** Creates a file, and its missing parent folders. Never overwrites. */
  async create(
    path: string,
    content: ContentSource,
    lines: LineChangeCounter = () => countAddedLines(content)
  ): Promise<WriteResult> {
    return this.runChange(path, this.walk(path), async (place, made) => {
      if (place.stat) throw fileExistsError(path)
      const reached = await this.createMissingFolders(place, made)
      try {
        return await this.#write(reached, content, undefined, made, lines)
      } finally {
        reached.close()
      }
    })
  }

  /** Replaces a file's content and preserves its permissions, if it still matches the snapshot. */
  async replace(
    path: string,
    was: FileSnapshot,
    content: ContentSource,
    lines: LineChangeCounter = () => undefined
  ): Promise<WriteResult> {
    return this.runChange(path, this.walk(path), place => {
      if (this.resolvedPaths.get(path)?.kind === 'missing') throw fileExistsError(path)
      if (place.stat && !place.stat.isFile()) throw notAFileError(path, place.stat)
      if (was.unsaved) return applyInEditorBuffer(this.effects, was.unsaved, content)
      if (!place.stat || place.path !== was.path || statFingerprint(place.stat) !== statFingerprint(was.stat))
        throw staleFileError(path)
      return this.#write(place, content, was, [], lines)
    })
  }

  /** Creates a folder in an existing one. Returns the created paths: none if the folder exists already. */
  async makeDirectory(path: string): Promise<string[]> {
    return this.#makeDirectory(path, ({ missingFolders }) => {
      if (missingFolders.length === 0) return
      throw new ToolError('FILE_NOT_FOUND', `The folder above ${quotePath(path)} does not exist.`, { path })
    })
  }

  /** Creates a folder and its missing parents. */
  async makeDirectories(path: string): Promise<string[]> {
    return this.#makeDirectory(path, () => {})
  }

  /** Moves a file, a link or a folder to a free path and creates its missing parent folders. Never overwrites. */
  async move(from: string, to: string): Promise<{ from: string; to: string }> {
    return this.#move(from, to, (source, target) => {
      if (target.stat) throw fileExistsError(to)
      return () => moveExclusive(source.stat!, source.accessPath, target.accessPath)
    })
  }

  /** Moves a file over another. Folders are never replaced. */
  async moveOver(from: string, to: string): Promise<{ from: string; to: string }> {
    return this.#move(from, to, (source, target) => {
      if (target.stat?.isDirectory()) throw notAFileError(to, target.stat)
      if (target.stat && source.stat!.isDirectory()) throw notAFileError(from, source.stat!)
      return () => renameSync(source.accessPath, target.accessPath)
    })
  }

  async #move(from: string, to: string, checked: (source: ResolvedEntry, target: ResolvedEntry) => () => void) {
    return this.runChange(from, this.walkToEntry(from), source =>
      this.runChange(to, this.walkToEntry(to), async (place, createdFolders) => {
        if (!source.stat) throw fileNotFoundError(from)
        if (`${place.path}/`.startsWith(`${source.path}/`)) {
          throw new ToolError('INVALID_PATH', `${quotePath(from)} cannot be moved into itself.`, { from, to })
        }
        for (const each of [source, place]) this.unsavedFiles.assertNoConflict(each)
        this.unsavedFiles.assertNoConflictIn(source.path)
        checked(source, place)
        const paths = { from: source.path, to: place.path }
        if (source.stat.isFile() && deviceOf(source) !== deviceOf(place)) {
          await this.#moveAcross(source, place)
          return paths
        }
        const [moved, replaced] = await settleAll(
          this.inspectMoved(source, from),
          place.stat && this.archive(place, to)
        )
        const target = await this.createMissingFolders(place, createdFolders)
        try {
          await this.awaitIntent()
          const rename = checked(source, target)
          await this.commitChange({
            changes: moveChanges(paths, moved, replaced),
            createdFolders,
            apply: rename,
            revert: () => {
              moveExclusive(source.stat!, target.accessPath, source.accessPath)
              if (replaced) restoreEntry(target.accessPath, replaced, this.undoStorage.blobs)
            },
            folders: [source.parentFd, target.parentFd]
          })
          return paths
        } finally {
          target.close()
        }
      })
    )
  }

  /** Moves to another file system inside the workspace: copies, then removes the original. */
  #moveAcross({ path, stat }: ResolvedEntry, target: ResolvedEntry): Promise<void> {
    const was = new FileSnapshot({ path, stat: stat!, size: Number(stat!.size) }, undefined)
    const move: TransactionStep = { do: 'move', path, to: target.path, was }
    return this.runTransaction(target.stat ? [{ do: 'remove', path: target.path }, move] : [move])
  }

  async #makeDirectory(path: string, check: (place: ResolvedEntry) => void) {
    return this.runChange(path, this.walk(path), async (place, createdFolders) => {
      if (place.stat?.isDirectory()) return []
      if (place.stat) throw fileExistsError(path)
      check(place)
      const reached = await this.createMissingFolders(place, createdFolders)
      try {
        await this.awaitIntent()
        await this.commitChange({
          changes: [folderCreatedChange(reached.path)],
          createdFolders,
          apply: () => mkdirSync(reached.accessPath),
          revert: () => rmdirSync(reached.accessPath),
          folders: [reached.parentFd]
        })
        return [...createdFolders, reached.path]
      } finally {
        reached.close()
      }
    })
  }

  async #write(
    place: ResolvedEntry,
    content: ContentSource,
    was: FileSnapshot | undefined,
    made: string[],
    lines: LineChangeCounter
  ): Promise<WriteResult> {
    this.unsavedFiles.assertNoConflict(place)
    const { workspace, effects, undoStorage } = this
    const { blobs } = undoStorage
    effects.claimBytes?.(sizeOfContent(content))
    const filling = contentWriter(content)
    const mode = content instanceof OpenFile ? Number(content.stat.mode) & 0o777 : NEW_FILE_MODE
    let counted: LineChange | undefined
    let before: string | undefined
    const result = () => ({ path: place.path, ...filling.result() })
    await writeFileAtomic(
      place,
      filling.write,
      { from: was?.stat, forNew: mode },
      {
        workspace,
        effects,
        undoStorage,
        concurrently: async () => {
          if (was) before = (await this.#archiveReplaced(place, was)) ?? was.hash
        },
        whileSyncing: () => {
          filling.whileSyncing()
          counted = lines()
          if (Buffer.isBuffer(content)) blobs.offer(content, result().hash)
        },
        change: () => ({
          path: place.path,
          operation: was ? 'modified' : 'created',
          ...(before !== undefined && { before_hash: before }),
          after_hash: result().hash,
          ...counted
        }),
        previousContent: () => was?.bytes ?? (before === undefined ? undefined : blobs.read(before)),
        onVisible: change => this.report([...made.map(folderCreatedChange), change])
      }
    )
    return result()
  }

  async #archiveReplaced(place: ResolvedEntry, { bytes }: FileSnapshot): Promise<string | undefined> {
    if (bytes) return archiveContent(this.undoStorage.blobs, bytes)
    const file = this.openAt(place, place.path)
    return archiveContent(this.undoStorage.blobs, file).finally(() => file.close())
  }
}

/** A link that is overwritten by a move is reported as removed: a move's report is about a file. */
function moveChanges(
  { from, to }: { from: string; to: string },
  moved: RemovedEntry,
  replaced: RemovedEntry | undefined
): Change[] {
  const { before_hash: after_hash, before_mode: _, ...kind } = moved.changeFields
  const change: Change = {
    path: to,
    operation: 'moved',
    ...kind,
    from,
    ...(after_hash !== undefined && { after_hash })
  }
  if (!replaced) return [change]
  if (replaced.changeFields.kind) return [{ path: to, operation: 'deleted', ...replaced.changeFields }, change]
  return [{ ...change, ...replaced.changeFields }]
}
