// Applies the steps of a call's transaction, at the paths for which the call was authorized.
import { staleFileError } from '../errno.ts'
import type { ResolvedEntry } from '../paths.ts'
import type { AllowedChanges } from '../policy/allowed-changes.ts'
import { runTransaction } from '../transaction/transaction.ts'
import type { TransactionStep } from '../transaction/transaction-step.ts'
import type { FileChanges } from './file-changes.ts'

/**
 * Applies all steps or none, also if the process is killed. Steps are checked against the tree before any of them: a path that one
 * step vacates is free for another. Paths for which the call was not authorized are refused.
 */
export function applyTransaction(
  changes: FileChanges,
  allowed: AllowedChanges,
  steps: readonly TransactionStep[]
): Promise<void> {
  const { workspace, effects, undoStorage, paths, unsaved } = changes
  const folders = new Set(steps.flatMap(step => (step.do === 'folder' ? [step.path] : [])))
  const refuseUnjudged = (path: string, given: string) => {
    const isAllowed = folders.has(given) ? allowed.hasFolder(path, given) : allowed.has(path, given)
    if (!isAllowed) throw staleFileError(given)
  }
  const check = (given: string, place: ResolvedEntry) => {
    try {
      refuseUnjudged(place.path, given)
      changes.assertChangeable(place, given)
      unsaved.assertNoConflict(place)
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
      walk: path => check(path, paths.walk(path)),
      walkToEntry: path => check(path, paths.walkToEntry(path)),
      assertMovable: folder => unsaved.assertNoConflictIn(folder),
      assertNewPathAllowed: (path, given) => {
        refuseUnjudged(path, given)
        changes.assertNewPathAllowed(path, given)
      },
      openAt: (place, given) => changes.openAt(place, given)
    },
    steps
  )
}
