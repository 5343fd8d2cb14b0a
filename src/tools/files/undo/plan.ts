// What an undo comes to, worked out before anything happens: by path what becomes of it, or what stands in the way.
import { invalidParam, ToolError } from '../../../errors.ts'
import type { Step } from '../../../host/files/transaction/transaction-step.ts'
import type { Change } from '../../../host/host.ts'
import type { Context, History, PastCall } from '../../../tool/tool.ts'
import type { UndoFile, UndoScope } from '../../../tool/undo.ts'
import { Conflicts, isAt, placesOf } from './conflict-collector.ts'
import { followed } from './current-path.ts'
import type { Obstruction } from './obstruction.ts'
import { keepPlan, planKept } from './plan-cache.ts'
import { Contents } from './previous-contents.ts'
import { fileOf, linesOf, mayShow } from './report.ts'
import { reverse } from './reverse.ts'
import { outcomesOf, stepsOf } from './steps.ts'
import { Draft } from './workspace-overlay.ts'

/** What is asked to be undone. */
interface UndoInput {
  tool_call_id: string
  scope?: UndoScope
  paths?: string[]
}

/** What an undo would do: told by file, done by step. */
export interface UndoPlan {
  /** Newest first. */
  calls: PastCall[]
  files: UndoFile[]
  steps: Step[]
}

/** The calls whose changes are taken back, newest first, with those changes alone that are. Of a single call also where
 * later calls have moved what it left: `choose` says which of the two places counts. */
export function callsOf(
  { tool_call_id, scope, paths }: UndoInput,
  history: History,
  choose = (_left: string, later: string) => later
): PastCall[] {
  const single = scope !== 'since'
  const calls = single ? [history.call(tool_call_id) ?? []].flat() : history.since(tool_call_id)
  const moves = single && calls[0]?.changes.length ? history.movesAfter(tool_call_id) : []
  const wanted = paths?.map(plain)
  return calls.flatMap(({ changes, ...call }) => {
    const chosen = changes.flatMap(change => {
      const now = { ...change, path: choose(change.path, followed(change, moves)) }
      return !wanted || wanted.some(path => touches(change, path) || touches(now, path)) ? [now] : []
    })
    return chosen.length > 0 || call.tool_call_id === tool_call_id ? [{ ...call, changes: chosen }] : []
  })
}

/** The path as changes tell it. */
const plain = (path: string) =>
  path
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/')

const touches = (change: Change, path: string) => placesOf(change).some(place => isAt(place, path))

export async function planUndo(input: UndoInput, ctx: Context): Promise<UndoPlan> {
  const isThere = (place: string) => ctx.host.files.peekEntry(place).kind !== 'missing'
  // Somebody else may have moved it back.
  const choose = (left: string, later: string) => (isThere(later) || !isThere(left) ? later : left)
  const calls = callsOf(input, ctx.history, choose)
  mustBeThere(input, calls, ctx.history)
  const key = JSON.stringify([input, calls.map(call => call.tool_call_id)])
  const kept = await planKept(ctx, key)
  if (kept) return kept
  const made = await planAnew(calls, ctx)
  keepPlan(ctx, key, made)
  return made.plan
}

async function planAnew(calls: PastCall[], ctx: Context) {
  const { host, signal } = ctx
  const draft = new Draft(host.files, signal)
  const contents = new Contents({ files: host.files, compute: host.compute, signal })
  const conflicts = new Conflicts()
  const all = calls.flatMap(({ changes }) => changes)
  const movesWhole = (change: Change) => all.every(other => other === change || !isAbout(other, change))
  for (const { tool_call_id, changes } of calls) {
    const obstructed = (change: Change, obstruction: Obstruction) =>
      conflicts.add(change, obstruction, { tool_call_id, shown: mayShow(obstruction.path, ctx) })
    const free = changes.filter(change => !conflicts.stops(change))
    await reverse(free, { draft, contents, movesWhole, obstructed })
  }
  const files = conflicts.files()
  const steps: Step[] = []
  for (const outcome of await outcomesOf(draft)) {
    if (conflicts.cover(outcome.path)) continue
    const report = await fileOf(outcome, draft, ctx)
    if (report.told) files.push(report.told)
    if (!conflicts.any) steps.push(...stepsOf(outcome, draft, linesOf(report)))
  }
  const plan: UndoPlan = { calls, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), steps }
  return { plan, draft, held: draft.held + contents.held }
}

function mustBeThere(input: UndoInput, calls: readonly PastCall[], history: History) {
  const { tool_call_id, paths } = input
  if (calls.length === 0)
    throw new ToolError('NOT_FOUND', `There is no call ${tool_call_id} in this workspace that has ended.`, {
      tool_call_id
    })
  const isOther = (path: string) =>
    callsOf({ ...input, paths: [path] }, history).every(call => call.changes.length === 0)
  const strange = paths?.findIndex(isOther) ?? -1
  if (strange >= 0) throw invalidParam(`paths/${strange}`, 'is no path that the call changed.')
}

/** Whether a change is about a moved folder, at either place, or about what it holds; or moves a folder that holds it. */
function isAbout(other: Change, moved: Change) {
  const folders = placesOf(moved)
  if (folders.some(folder => touches(other, folder))) return true
  const carries = other.operation === 'moved' && other.kind === 'directory'
  return carries && placesOf(other).some(place => folders.some(folder => isAt(folder, place)))
}
