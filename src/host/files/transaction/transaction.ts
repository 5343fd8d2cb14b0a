// Atomic multi-file transaction, also if the process is killed. First everything is staged: new contents under hidden names,
// removed ones in the blob store. Then the operations are logged and applied. If one fails, those before it are rolled back.

import { closeSync, constants } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ToolError } from '../../../errors.ts'
import type { Workspace } from '../../workspace.ts'
import { openSync } from '../byte-path-fs.ts'
import { toFileError } from '../errno.ts'
import { resolveWorkspaceEntry } from '../paths.ts'
import { settleAll } from '../settle-all.ts'
import { fsync } from '../write-content.ts'
import { applyOperation, type FileOperation, removeHidden, rollBack } from './file-operations.ts'
import { planTransaction } from './plan.ts'
import { type PreparedOperation, prepareTransaction, type TransactionContext } from './prepare.ts'
import { StagedFiles } from './staged-files.ts'
import type { TransactionStep } from './transaction-step.ts'

/** Number of operations applied per turn of the event loop. */
const OPERATIONS_PER_TURN = 256
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

export async function runTransaction(site: TransactionContext, steps: readonly TransactionStep[]): Promise<void> {
  if (steps.length === 0) return
  const { effects, workspace } = site
  const { log, call } = site.undoStorage
  const hidden = new StagedFiles(workspace, log, effects.signal)
  let endChange: (() => void) | undefined
  try {
    const parts = await prepareTransaction(site, planTransaction(site, steps), hidden)
    const motions = parts.map(({ operation }) => operation)
    const changes = parts.flatMap(({ change }) => change ?? [])
    endChange = effects.beginChange?.(changes.flatMap(({ path, from }) => (from === undefined ? path : [path, from])))
    const committed = effects.commitIntent()
    committed.catch(() => {})
    const number = await log.beginGroup({ call, root: workspace.root, motions, changes })
    let made = 0
    try {
      await committed
      effects.signal.throwIfAborted()
      for (const part of parts) {
        applyPrepared(workspace, part)
        made += 1
        if (made % OPERATIONS_PER_TURN === 0) await setImmediate()
      }
      await syncFolders(workspace, motions)
      await log.commitGroup(number)
    } catch (error) {
      const stuck = rollBack(workspace, motions.slice(0, made))
      if (stuck.length > 0) throw rollbackFailedError(error, stuck)
      log.rollBackGroup(number)
      throw error
    }
    hidden.markCommitted()
    removeHidden(workspace, motions)
    for (const change of changes) effects.recordChange(change)
  } finally {
    endChange?.()
    hidden.discard()
  }
}

function applyPrepared(workspace: Workspace, { operation, was }: PreparedOperation) {
  try {
    applyOperation(workspace, operation, was)
  } catch (error) {
    throw toFileError(error, operation.path)
  }
}

/** Syncs the folders in which names have changed. */
async function syncFolders(workspace: Workspace, motions: readonly FileOperation[]) {
  const folders = new Set(
    motions.flatMap(motion => ('hidden' in motion ? [motion.path, motion.hidden] : [motion.path])).map(path.dirname)
  )
  await settleAll(...[...folders].map(folder => syncFolder(workspace, folder)))
}

async function syncFolder(workspace: Workspace, folder: string) {
  const place = resolveWorkspaceEntry(workspace, folder)
  try {
    if (!place.stat?.isDirectory()) return
    const fd = openSync(place.accessPath, FOLDER | workspace.dirAccess.noFollowFlags)
    await fsync(fd).finally(() => closeSync(fd))
  } catch (error) {
    throw toFileError(error, folder)
  } finally {
    place.close()
  }
}

/** The remaining entries are recovered at the next start. */
const rollbackFailedError = (error: unknown, paths: string[]) =>
  new ToolError(
    'EXECUTION_ERROR',
    `${error instanceof Error ? error.message : error} Some earlier changes of the call could not be reverted.`,
    { paths },
    { cause: error }
  )
