// Removes entries of a workspace, for one call, once their content is stored.

import { ToolError } from '../../errors.ts'
import type { Change } from '../change.ts'
import { lstatSync, rmdirSync, unlinkSync } from './byte-path-fs.ts'
import { staleFileError } from './errno.ts'
import { FileChanger, protectedPathError } from './file-changer.ts'
import { fileNotFoundError } from './file-reader.ts'
import { type DirectoryEntry, entryTypeOf } from './file-snapshot.ts'
import { isSameStat } from './fingerprint.ts'
import { type ResolvedEntry, resolveWorkspaceEntry } from './paths.ts'
import { type RemovedEntry, restoreEntry } from './removed-entry.ts'
import { settleAll } from './settle-all.ts'

/** Member of a directory tree. */
export type TreeMember = Pick<DirectoryEntry, 'path' | 'type' | 'size'>

/** Number of tree members whose content is stored concurrently before they are removed. */
const BATCH = 32
const BATCH_BYTES = 32 * 1024 * 1024

export class FileRemover extends FileChanger {
  /** Removes a file, a link (not its target), or an empty folder. Returns its path. */
  async remove(path: string): Promise<string> {
    return this.runChange(path, this.walkToEntry(path), async place => {
      const [gone] = await settleAll(this.archive(place, path), this.effects.commitIntent())
      this.effects.signal.throwIfAborted()
      const { accessPath, parentFd } = place
      const { blobs } = this.undoStorage
      await this.commitChange({
        changes: [deletedChange(place, gone)],
        apply: () => unlink(place),
        revert: () => restoreEntry(accessPath, gone, blobs),
        folders: [parentFd]
      })
      return place.path
    })
  }

  /** Removes a folder recursively. Fails before anything is removed if some of it is protected. Returns every removed path. */
  async removeTree(path: string): Promise<string[]> {
    const branches = await this.listTree(path)
    this.unsavedFiles.assertNoConflictIn(branches[0]!.path)
    await this.awaitIntent()
    const removed: string[] = []
    try {
      for (const batch of toBatches(branches.slice(1).reverse())) {
        await this.#removeBatch(batch, removed)
        await this.yieldToEventLoop()
      }
      removed.push(await this.remove(path))
    } catch (error) {
      if (!(error instanceof ToolError) || removed.length === 0) throw error
      throw new ToolError(error.code, `${error.message} Deleted before that: ${removed.length}.`, {
        ...error.details,
        deleted: removed
      })
    }
    return removed.reverse()
  }

  /** Lists a path and its descendants, folders before their contents; links are not followed. */
  async listTree(path: string): Promise<TreeMember[]> {
    const place = this.walkToEntry(path)
    place.close()
    if (!place.stat) throw fileNotFoundError(path)
    this.assertChangeable(place, path)
    const branches: TreeMember[] = [{ path: place.path, type: entryTypeOf(place.stat), size: Number(place.stat.size) }]
    for (const { path, type } of branches) {
      if (type !== 'directory') continue
      for (const entry of this.entries(path)) {
        if (entry.closed) throw protectedPathError(entry.path)
        branches.push({ path: entry.path, type: entry.type, size: entry.size })
      }
      await this.yieldToEventLoop()
    }
    return branches
  }

  /** Removes these paths, in order, once all their contents are stored. */
  async #removeBatch(paths: readonly string[], removed: string[]) {
    const at = <T>(path: string, work: (place: ResolvedEntry) => Promise<T>) =>
      this.runChange(path, resolveWorkspaceEntry(this.workspace, path), work)
    const going = await settleAll(
      ...paths.map(path => at(path, async place => ({ path, stat: place.stat, gone: await this.archive(place, path) })))
    )
    for (const { path, stat, gone } of going) {
      await at(path, async place => this.applyUnsynced([deletedChange(place, gone)], () => unlink({ ...place, stat })))
      removed.push(path)
    }
  }
}

function* toBatches(branches: readonly TreeMember[]): Generator<string[]> {
  let batch: string[] = []
  let bytes = 0
  for (const { path, type, size } of branches) {
    batch.push(path)
    bytes += type === 'file' ? size : 0
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  yield batch
}

const deletedChange = ({ path }: ResolvedEntry, { changeFields, lines }: RemovedEntry): Change => ({
  path,
  operation: 'deleted',
  ...changeFields,
  ...(lines !== undefined && { added: 0, removed: lines })
})

/** Removes an entry whose content is stored, if it is unchanged since. */
function unlink({ path, stat, accessPath }: ResolvedEntry) {
  if (stat!.isDirectory()) return rmdirSync(accessPath)
  const now = lstatSync(accessPath, { bigint: true, throwIfNoEntry: false })
  if (!now) throw fileNotFoundError(path)
  if (!isSameStat(stat!, now)) throw staleFileError(path)
  unlinkSync(accessPath)
}
