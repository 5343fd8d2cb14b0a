// File previews of waiting calls: whole texts before and after, for front ends that render their own diff. Bound to the digest,
// as a decision is.
import { ToolError } from '../../errors.ts'
import type { CallPreview, PreviewFreshness } from '../../protocol/approvals.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import { buildStablePreview } from './build-approval.ts'
import { assertAwaitingApproval, withDecisionLock } from './decide.ts'
import { computeDigest, isUnchanged } from './digest.ts'
import { evaluateNow } from './evaluate.ts'
import { readPreviewFiles } from './preview-files.ts'
import { WHOLE_PREVIEW } from './preview-limits.ts'
import { computeWholeDigest } from './whole-preview.ts'

/** Returns the preview without changing the call: if its effects differ from what was shown, only reports that. */
export function getCallPreview(engine: Engine, live: ActiveCall, wanted: string | undefined): Promise<CallPreview> {
  return withDecisionLock(live, async () => {
    const { approval, tool_call_id } = assertAwaitingApproval(live)
    const evaluation = await evaluateNow(engine, live)
    const bound = { tool_call_id, digest: approval.digest }
    if (wanted !== undefined && wanted !== bound.digest) throw previewChangedError(tool_call_id)
    const whole = await buildStablePreview(engine, live, evaluation, { limits: WHOLE_PREVIEW })
    const files = await readPreviewFiles(engine, live, whole.wholeDiff, bound)
    if (whole.digest !== bound.digest || !isUnchanged(live, whole.evaluation)) throw previewChangedError(tool_call_id)
    if (!approval.preview.cut) return { ...bound, preview: approval.preview, files }
    return { ...bound, whole_digest: computeWholeDigest(bound.digest), preview: whole.preview, files }
  })
}

const previewChangedError = (tool_call_id: string) =>
  new ToolError('PREVIEW_CHANGED', 'The preview has changed since it was shown. Review the call again.', {
    tool_call_id
  })

/** Checks the preview without changing the call. */
export function checkFreshness(engine: Engine, live: ActiveCall): Promise<PreviewFreshness> {
  return withDecisionLock(live, async () => {
    const { approval, tool_call_id } = assertAwaitingApproval(live)
    try {
      const evaluation = await evaluateNow(engine, live)
      if (evaluation.verdict.decision === 'deny') return { tool_call_id, reason: evaluation.verdict.reason }
      const now = await computeDigest(engine, live, evaluation)
      if (now === approval.digest) return { tool_call_id, digest: now }
      const { preview, digest } = await buildStablePreview(engine, live, evaluation, { limits: WHOLE_PREVIEW })
      return { tool_call_id, preview, digest }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      return { tool_call_id, reason: error.message }
    }
  })
}
