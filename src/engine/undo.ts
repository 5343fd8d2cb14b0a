// Taking back what a call changed: whether that can be done at all, what it would come to, and the call that does it.
import { ToolError } from '../errors.ts'
import { isObstructed, type UndoFile, type UndoResult, type UndoScope } from '../tool/undo.ts'
import type { Caller } from './active-call.ts'
import { type Call, isSettled, type SettledCall } from './call.ts'
import { type Simulation, simulateRun } from './dry-run.ts'
import type { Engine } from './engine.ts'
import { isKnownRequest, type SubmitOptions, type SubmitRequest } from './submit.ts'

export { UndoFile, UndoScope } from '../tool/undo.ts'

/** What is to be undone. */
export interface UndoOptions {
  scope?: UndoScope | undefined
  paths?: string[] | undefined
  agent?: string | undefined
}

/** What an undo would do now. */
export interface UndoDryRun {
  available: boolean
  /** Why not. */
  reason?: string
  files: UndoFile[]
  /** Binds an approval to what is shown. */
  digest?: string
}

/** The request that undoes a call, in its workspace and, unless another is named, its session. */
function buildUndoRequest(call: Call, { scope, paths, ...more }: UndoOptions & Partial<SubmitRequest>): SubmitRequest {
  const { tool_call_id, workspace, session_id } = call
  const params = { tool_call_id, ...(scope === 'since' && { scope }), ...(paths && { paths }) }
  return { session_id, ...more, tool: 'undo', params, workspace }
}

/** What an undo would do now. */
export async function previewUndo(engine: Engine, call: Call, query: UndoOptions, caller: Caller): Promise<UndoDryRun> {
  return simulateRun(engine, buildUndoRequest(assertSettled(call), query), caller, toUndoDryRun)
}

async function toUndoDryRun({ verdict, output, digest }: Simulation): Promise<UndoDryRun> {
  if (verdict.decision === 'deny')
    return { available: false, reason: `Policy refuses it: ${verdict.reason}`, files: [] }
  const { files } = (await output()) as UndoResult
  const reason = files.some(isObstructed)
    ? 'Something is in the way.'
    : files.every(({ action }) => action === 'nothing')
      ? 'There is nothing to undo.'
      : undefined
  return reason ? { available: false, reason, files } : { available: true, files, digest: await digest() }
}

function assertSettled(call: Call): SettledCall {
  if (isSettled(call)) return call
  throw new ToolError('CONFLICT', 'The call has not ended: cancel it, or wait for it.', { status: call.status })
}

/** The request that undoes a call. Throws what it would do now, where the sender approves with it what was shown, and that
 * is something else. */
export async function prepareUndo(
  engine: Engine,
  call: Call,
  { caller, options, ...query }: UndoOptions & Partial<SubmitRequest> & { caller: Caller; options: SubmitOptions }
): Promise<SubmitRequest> {
  const request = buildUndoRequest(assertSettled(call), query)
  const { shown } = options
  if (!shown || !caller.rights.has('approve') || isKnownRequest(engine, request, options)) return request
  const now = await simulateRun(engine, request, caller, async seen =>
    (await matchesDigest(seen, shown.digest)) ? undefined : toUndoDryRun(seen)
  )
  if (!now || now.digest === shown.digest) return request
  const text = 'The preview has changed since it was shown. Review the new preview.'
  throw new ToolError('PREVIEW_CHANGED', text, { ...now })
}

/** The digest alone tells it: what it would do need not be worked out. */
const matchesDigest = async ({ verdict, digest }: Simulation, shown: string) =>
  verdict.decision !== 'deny' && (await digest().catch(() => undefined)) === shown
