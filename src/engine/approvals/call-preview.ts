// What a waiting call would make of files, as whole texts before and after, for front ends that compare by themselves.
// It is bound to the digest as a decision is.
import { ToolError } from '../../errors.ts'
import type { Live } from '../active-call.ts'
import type { Preview } from '../call.ts'
import type { Engine } from '../engine.ts'
import { awaiting, inTurn } from './decide.ts'
import { assess, digest, shown } from './evaluate.ts'
import { type ProposedFile, proposedFiles } from './preview-files.ts'

export interface Proposal {
  tool_call_id: string
  digest: string
  preview: Preview
  files: ProposedFile[]
}

/** Changes nothing of the call: where something else would happen than was shown, it only says so. */
export function proposalOf(engine: Engine, live: Live, wanted: string | undefined): Promise<Proposal> {
  return inTurn(live, async () => {
    const { approval, params, tool_call_id } = awaiting(live)
    const assessment = await assess(engine, live, params)
    const bound = { tool_call_id, digest: approval.digest }
    const files = await proposedFiles(engine, live, approval.preview, bound)
    const now = await digest(live, params, assessment)
    if (now !== bound.digest || (wanted !== undefined && wanted !== bound.digest))
      throw new ToolError('PREVIEW_CHANGED', 'The preview has changed since it was shown: review the call again.', {
        tool_call_id
      })
    return { ...bound, preview: approval.preview, files }
  })
}

/** Whether a waiting call would still do what was shown. */
export interface Freshness {
  tool_call_id: string
  /** Of what it would do now. */
  digest?: string
  /** That, where it is something else than was shown. */
  preview?: Preview
  /** Why it could not be done any more, in place of both. */
  reason?: string
}

/** Changes nothing of the call. */
export function freshnessOf(engine: Engine, live: Live): Promise<Freshness> {
  return inTurn(live, async () => {
    const { approval, params, tool_call_id } = awaiting(live)
    try {
      const assessment = await assess(engine, live, params)
      if (assessment.verdict.decision === 'deny') return { tool_call_id, reason: assessment.verdict.reason }
      const now = await digest(live, params, assessment)
      if (now === approval.digest) return { tool_call_id, digest: now }
      return { tool_call_id, ...(await shown(engine, live, params, assessment)) }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      return { tool_call_id, reason: error.message }
    }
  })
}
