// Undo of a call: its availability, its preview, and the call that performs it.
import { ToolError } from '../errors.ts'
import { type Call, isSettled, type SettledCall } from '../protocol/calls.ts'
import { isObstructed, type UndoFile, type UndoResult, type UndoScope } from '../protocol/undo.ts'
import type { Caller } from './active-call.ts'
import type { TrackingReport } from './command-tracking.ts'
import { type Simulation, simulateRun } from './dry-run.ts'
import type { Engine } from './engine.ts'
import type { Evaluation } from './evaluation.ts'
import { type ListPageQuery, takePage } from './list-page.ts'
import { isKnownRequest, type SubmitOptions, type SubmitRequest } from './submit.ts'

/** The scope of an undo. */
export interface UndoOptions {
  scope?: UndoScope | undefined
  paths?: string[] | undefined
  agent?: string | undefined
}

/** The preview of an undo. */
interface UndoDryRun {
  available: boolean
  /** Reason for which the undo is not possible. */
  reason?: string
  files: UndoFile[]
  /** Binds an approval to the preview. */
  digest?: string
}

/** Returns an undo's preview with a page of its files, by path. The digest is of all. */
export function toUndoPage({ files, ...rest }: UndoDryRun, query: ListPageQuery): UndoDryRun & { cursor?: string } {
  const { items, ...more } = takePage(files, ({ path }) => path, query)
  return { ...rest, files: items, ...more }
}

/** Builds the request that undoes a call, in its workspace and, unless another is named, its session. */
function buildUndoRequest(call: Call, { scope, paths, ...more }: UndoOptions & Partial<SubmitRequest>): SubmitRequest {
  const { tool_call_id, workspace, session_id } = call
  const params = { tool_call_id, ...(scope === 'since' && { scope }), ...(paths && { paths }) }
  return { session_id, ...more, tool: 'undo', params, workspace }
}

/** Previews the effects of an undo. */
export async function previewUndo(engine: Engine, call: Call, query: UndoOptions, caller: Caller): Promise<UndoDryRun> {
  const settled = assertSettled(call)
  return simulateRun(engine, buildUndoRequest(settled, query), caller, simulation => toUndoDryRun(simulation, settled))
}

async function toUndoDryRun(
  { evaluation: { verdict, plan }, digest }: Simulation,
  call: SettledCall
): Promise<UndoDryRun> {
  if (verdict.decision === 'deny')
    return { available: false, reason: `The rules deny the undo: ${verdict.reason}`, files: [] }
  const { files } = plan!.expectedOutput as UndoResult
  const reason = files.some(isObstructed)
    ? 'A later change overlaps the change to undo. See the conflicts of the files.'
    : files.every(({ action }) => action === 'nothing')
      ? ['There is nothing to undo.', ...untrackedReasons(call)].join(' ')
      : undefined
  return reason ? { available: false, reason, files } : { available: true, files, digest: await digest() }
}

/** Returns the reason for which the changes of the call's command were not recorded, if they were not. */
function untrackedReasons(call: SettledCall): string[] {
  const metadata = 'result' in call ? (call.result.metadata as { tracking?: TrackingReport }) : {}
  return metadata.tracking?.untracked === undefined ? [] : [metadata.tracking.untracked]
}

function assertSettled(call: Call): SettledCall {
  if (isSettled(call)) return call
  throw new ToolError('CONFLICT', 'The call has not ended. Wait until it ends, or cancel it.', { status: call.status })
}

/**
 * Returns the request that undoes a call. If the sender approves what was shown and the undo would now do something else, throws
 * an error with the current preview. Also returns the evaluation that was shown, whose plan the call may use.
 */
export async function prepareUndo(
  engine: Engine,
  call: Call,
  { caller, options, ...query }: UndoOptions & Partial<SubmitRequest> & { caller: Caller; options: SubmitOptions }
): Promise<{ request: SubmitRequest; planned?: Evaluation }> {
  const settled = assertSettled(call)
  const request = buildUndoRequest(settled, query)
  const { shown } = options
  if (!shown || !caller.rights.has('approve') || isKnownRequest(engine, request, { caller, options }))
    return { request }
  const { evaluation, now } = await simulateRun(engine, request, caller, async seen => ({
    evaluation: seen.evaluation,
    now: (await matchesDigest(seen, shown.digest)) ? undefined : await toUndoDryRun(seen, settled)
  }))
  if (!now || now.digest === shown.digest) return { request, planned: evaluation }
  const text = 'The preview has changed since it was shown. Review the new preview.'
  throw new ToolError('PREVIEW_CHANGED', text, { ...toUndoPage(now, {}) })
}

/** The digest alone decides; the output need not be computed. */
const matchesDigest = async ({ evaluation: { verdict }, digest }: Simulation, shown: string) =>
  verdict.decision !== 'deny' && (await digest().catch(() => undefined)) === shown
