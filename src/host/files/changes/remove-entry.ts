// Removes entries of a workspace once their content is stored.
import { ToolError } from '../../../errors.ts'
import type { Change } from '../../change.ts'
import { lstatSync, rmdirSync, unlinkSync } from '../byte-path-fs.ts'
import { staleFileError } from '../errno.ts'
import { fileNotFoundError } from '../file-errors.ts'
import { isSameStat } from '../fingerprint.ts'
import { type ResolvedEntry, resolveWorkspaceEntry } from '../paths.ts'
import { type RemovedEntry, restoreEntry } from '../removed-entry.ts'
import { settleAll } from '../settle-all.ts'
import type { FileChanges } from './file-changes.ts'
import type { TreeMember } from './list-tree.ts'

/** Number of tree members whose content is stored concurrently before they are removed. */
const BATCH = 32
const BATCH_BYTES = 32 * 1024 * 1024

/** Removes a file, a link (not its target), or an empty folder. Returns its path. */
export async function removeEntry(changes: FileChanges, path: string): Promise<string> {
  return changes.runChange(path, changes.paths.walkToEntry(path), async place => {
    const { effects, undoStorage } = changes
    const [gone] = await settleAll(changes.archive(place, path), effects.commitIntent())
    effects.signal.throwIfAborted()
    const { accessPath, parentFd } = place
    await changes.commitChange({
      changes: [deletedChange(place, gone)],
      apply: () => unlink(place),
      revert: () => restoreEntry(accessPath, gone, undoStorage.blobs),
      folders: [parentFd]
    })
    return place.path
  })
}

/** Removes a folder with its listed members. Returns every removed path; an error names those removed before it. */
export async function removeTree(
  changes: FileChanges,
  path: string,
  branches: readonly TreeMember[]
): Promise<string[]> {
  changes.unsaved.assertNoConflictIn(branches[0]!.path)
  await changes.awaitIntent()
  const removed: string[] = []
  try {
    for (const batch of toBatches(branches.slice(1).reverse())) {
      await removeBatch(changes, batch, removed)
      await changes.yieldToEventLoop()
    }
    removed.push(await removeEntry(changes, path))
  } catch (error) {
    if (!(error instanceof ToolError) || removed.length === 0) throw error
    throw new ToolError(error.code, `${error.message} Entries deleted before the error: ${removed.length}.`, {
      ...error.details,
      deleted: removed
    })
  }
  return removed.reverse()
}

/** Removes these paths, in order, once all their contents are stored. */
async function removeBatch(changes: FileChanges, paths: readonly string[], removed: string[]) {
  const at = <T>(path: string, work: (place: ResolvedEntry) => Promise<T>) =>
    changes.runChange(path, resolveWorkspaceEntry(changes.workspace, path), work)
  const going = await settleAll(
    ...paths.map(path =>
      at(path, async place => ({ path, stat: place.stat, gone: await changes.archive(place, path) }))
    )
  )
  for (const { path, stat, gone } of going) {
    await at(path, async place => changes.applyUnsynced([deletedChange(place, gone)], () => unlink({ ...place, stat })))
    removed.push(path)
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
