// Moves an entry of a workspace. Between file systems, it is copied and then removed, in one transaction.
import { ToolError } from '../../../errors.ts'
import type { Change } from '../../change.ts'
import { renameSync } from '../byte-path-fs.ts'
import { quotePath } from '../errno.ts'
import { moveExclusive } from '../exclusive-rename.ts'
import { fileExistsError, fileNotFoundError, notAFileError } from '../file-errors.ts'
import { FileSnapshot } from '../file-snapshot.ts'
import { deviceOf, type ResolvedEntry } from '../paths.ts'
import type { AllowedChanges } from '../policy/allowed-changes.ts'
import { type RemovedEntry, restoreEntry } from '../removed-entry.ts'
import { settleAll } from '../settle-all.ts'
import type { TransactionStep } from '../transaction/transaction-step.ts'
import { applyTransaction } from './apply-transaction.ts'
import type { FileChanges } from './file-changes.ts'

/** A move between two paths, and what the call may change. */
export interface Move {
  from: string
  to: string
  allowed: AllowedChanges
}

/** The canonical paths of a move. */
export type MovedPaths = Pick<Move, 'from' | 'to'>

/** Checks a move; returns the function that renames the entry. */
type MoveCheck = (source: ResolvedEntry, target: ResolvedEntry) => () => void

/** Moves a file, a link or a folder to a free path and creates its missing parent folders. Never overwrites. */
export const moveEntry = (changes: FileChanges, move: Move): Promise<MovedPaths> =>
  run(changes, move, (source, target) => {
    if (target.stat) throw fileExistsError(move.to)
    return () => moveExclusive(source.stat!, source.accessPath, target.accessPath)
  })

/** Moves a file over another. Folders are never replaced. */
export const moveEntryOver = (changes: FileChanges, move: Move): Promise<MovedPaths> =>
  run(changes, move, (source, target) => {
    if (target.stat?.isDirectory()) throw notAFileError(move.to, target.stat)
    if (target.stat && source.stat!.isDirectory()) throw notAFileError(move.from, source.stat!)
    return () => renameSync(source.accessPath, target.accessPath)
  })

async function run(changes: FileChanges, { from, to, allowed }: Move, checked: MoveCheck): Promise<MovedPaths> {
  const { paths, unsaved, undoStorage } = changes
  return changes.runChange(from, paths.walkToEntry(from), source =>
    changes.runChange(to, paths.walkToEntry(to), async (place, createdFolders) => {
      if (!source.stat) throw fileNotFoundError(from)
      if (`${place.path}/`.startsWith(`${source.path}/`)) {
        throw new ToolError('INVALID_PATH', `${quotePath(from)} cannot be moved into a folder inside itself.`, {
          from,
          to
        })
      }
      for (const each of [source, place]) unsaved.assertNoConflict(each)
      unsaved.assertNoConflictIn(source.path)
      checked(source, place)
      const moved = { from: source.path, to: place.path }
      if (source.stat.isFile() && deviceOf(source) !== deviceOf(place)) {
        await applyTransaction(changes, allowed, copyAndRemove(source, place))
        return moved
      }
      const [entry, replaced] = await settleAll(
        changes.inspectMoved(source, from),
        place.stat && changes.archive(place, to)
      )
      const target = await changes.createMissingFolders(place, createdFolders)
      try {
        await changes.awaitIntent()
        const rename = checked(source, target)
        await changes.commitChange({
          changes: moveChanges(moved, entry, replaced),
          createdFolders,
          apply: rename,
          revert: () => {
            moveExclusive(source.stat!, target.accessPath, source.accessPath)
            if (replaced) restoreEntry(target.accessPath, replaced, undoStorage.blobs)
          },
          folders: [source.parentFd, target.parentFd]
        })
        return moved
      } finally {
        target.close()
      }
    })
  )
}

/** Returns the steps of a move to another file system inside the workspace. */
function copyAndRemove({ path, stat }: ResolvedEntry, target: ResolvedEntry): TransactionStep[] {
  const was = new FileSnapshot({ path, stat: stat!, size: Number(stat!.size) }, undefined)
  const move: TransactionStep = { do: 'move', path, to: target.path, was }
  return target.stat ? [{ do: 'remove', path: target.path }, move] : [move]
}

/** A link that is overwritten by a move is reported as removed: a move's report is about a file. */
function moveChanges({ from, to }: MovedPaths, moved: RemovedEntry, replaced: RemovedEntry | undefined): Change[] {
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
