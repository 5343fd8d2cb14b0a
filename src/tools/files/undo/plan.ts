// Plans an undo before any change: the outcome of each path, or its conflict.
import { invalidParam, ToolError } from '../../../errors.ts'
import type { Change } from '../../../host/change.ts'
import type { TransactionStep } from '../../../host/files/transaction/transaction-step.ts'
import type { UndoScope } from '../../../protocol/undo.ts'
import type { History, PastCall, ReadContext } from '../../../tool/contexts.ts'
import { ConflictCollector, changePaths, isAtOrBelow } from './conflict-collector.ts'
import { currentPath } from './current-path.ts'
import type { Obstruction } from './obstruction.ts'
import { PreviousContents } from './previous-contents.ts'
import { canRevealEntry, countedLines, reportPath } from './report.ts'
import { reverse } from './reverse.ts'
import { collectOutcomes, undoSteps } from './steps.ts'
import type { UndoPlan } from './undo-plan.ts'
import { WorkspaceOverlay } from './workspace-overlay.ts'

/** The requested undo. */
interface UndoInput {
  tool_call_id: string
  scope?: UndoScope
  paths?: string[]
}

/**
 * Selects the calls to revert, newest first, with only the changes to revert. For a single call, its results are also followed
 * through later moves: `choose` decides which of the two paths applies.
 */
export function selectCalls(
  { tool_call_id, scope, paths }: UndoInput,
  history: Pick<History, 'find' | 'since' | 'movesAfter'>,
  choose = (_left: string, later: string) => later
): PastCall[] {
  const single = scope !== 'since'
  const calls = single ? [history.find(tool_call_id) ?? []].flat() : history.since(tool_call_id)
  const moves = single && calls[0]?.changes.length ? history.movesAfter(tool_call_id) : []
  const wanted = paths?.map(normalizePath)
  return calls.flatMap(({ changes, ...call }) => {
    const chosen = changes.flatMap(change => {
      const now = { ...change, path: choose(change.path, currentPath(change, moves)) }
      return !wanted || wanted.some(path => touchesPath(change, path) || touchesPath(now, path)) ? [now] : []
    })
    return chosen.length > 0 || call.tool_call_id === tool_call_id ? [{ ...call, changes: chosen }] : []
  })
}

/** Normalizes a path to the form used in changes. */
const normalizePath = (path: string) =>
  path
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/')

const touchesPath = (change: Change, path: string) => changePaths(change).some(place => isAtOrBelow(place, path))

/** Returns the plan, and what it has seen on the disk. */
export async function planUndo(input: UndoInput, ctx: ReadContext): Promise<{ plan: UndoPlan; seen: unknown }> {
  const isThere = (place: string) => ctx.host.files.peekLiteral(place).kind !== 'missing'
  // It may have been moved back externally.
  const choose = (left: string, later: string) => (isThere(later) || !isThere(left) ? later : left)
  const calls = selectCalls(input, ctx.history, choose)
  assertKnown(input, calls, ctx.history)
  return computePlan(calls, ctx)
}

async function computePlan(calls: PastCall[], ctx: ReadContext) {
  const { host, signal } = ctx
  const draft = new WorkspaceOverlay(host.files, signal)
  const contents = new PreviousContents({ files: host.files, compute: host.compute, signal })
  const conflicts = new ConflictCollector()
  const all = calls.flatMap(({ changes }) => changes)
  const canMoveWhole = (change: Change) => all.every(other => other === change || !concernsMovedFolder(other, change))
  for (const { tool_call_id, changes } of calls) {
    const onObstructed = (change: Change, obstruction: Obstruction) =>
      conflicts.add(change, obstruction, { tool_call_id, shown: canRevealEntry(obstruction.path, ctx) })
    const free = changes.filter(change => !conflicts.isBlocked(change))
    await reverse(free, { draft, contents, canMoveWhole, onObstructed })
  }
  const files = conflicts.files()
  const steps: TransactionStep[] = []
  for (const outcome of await collectOutcomes(draft)) {
    if (conflicts.covers(outcome.path)) continue
    const report = await reportPath(outcome, draft, ctx)
    if (report.file) files.push(report.file)
    if (!conflicts.hasAny) steps.push(...undoSteps(outcome, draft, countedLines(report)))
  }
  const plan: UndoPlan = { calls, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), steps }
  return { plan, seen: draft.describeDisk() }
}

function assertKnown(input: UndoInput, calls: readonly PastCall[], history: History) {
  const { tool_call_id, paths } = input
  if (calls.length === 0)
    throw new ToolError('NOT_FOUND', `There is no finished call ${tool_call_id} in this workspace.`, {
      tool_call_id
    })
  const isOther = (path: string) =>
    selectCalls({ ...input, paths: [path] }, history).every(call => call.changes.length === 0)
  const strange = paths?.findIndex(isOther) ?? -1
  if (strange >= 0) throw invalidParam(`paths/${strange}`, 'is not a path that one of the calls changed.')
}

/** Checks if a change concerns a moved folder, at either path, its contents, or an ancestor that moves. */
function concernsMovedFolder(other: Change, moved: Change) {
  const folders = changePaths(moved)
  if (folders.some(folder => touchesPath(other, folder))) return true
  const carries = other.operation === 'moved' && other.kind === 'directory'
  return carries && changePaths(other).some(place => folders.some(folder => isAtOrBelow(folder, place)))
}
