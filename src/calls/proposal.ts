// What a waiting call would make of files, as whole texts before and after, for front ends that compare by themselves.
// It is bound to the digest as a decision is.
import { ToolError } from '../errors.ts'
import { assess, digest, preview } from './assess.ts'
import type { Preview } from './call.ts'
import { awaiting, inTurn } from './decide.ts'
import type { Engine } from './engine.ts'
import type { Live } from './live.ts'
import { type ProposedFile, proposedFiles } from './proposed-files.ts'

export interface Proposal {
  tool_call_id: string
  digest: string
  preview: Preview
  files: ProposedFile[]
}

/** What a waiting call would do now. */
export interface Freshness {
  tool_call_id: string
  digest: string
  /** Where that is not what was shown, and can be shown at all. */
  preview?: Preview
}

/** Changes nothing either. */
export function freshnessOf(engine: Engine, live: Live): Promise<Freshness> {
  return inTurn(live, async () => {
    const { approval, params, tool_call_id } = awaiting(live)
    const assessment = await assess(engine, live, params)
    const now = await digest(live, params, assessment)
    if (now === approval.digest) return { tool_call_id, digest: now }
    const shown = await preview(engine, live, params, assessment).catch(error => {
      if (!(error instanceof ToolError)) throw error
    })
    return { tool_call_id, digest: now, ...(shown && { preview: shown }) }
  })
}

/** Changes nothing, neither the call: where something else would happen than was shown, it only says so. */
export function proposalOf(engine: Engine, live: Live, wanted: string | undefined): Promise<Proposal> {
  return inTurn(live, async () => {
    const { approval, params, tool_call_id } = awaiting(live)
    const assessment = await assess(engine, live, params)
    const shown = { tool_call_id, digest: approval.digest }
    const files = await proposedFiles(engine, live, approval.preview, shown)
    const now = await digest(live, params, assessment)
    if (now !== shown.digest || (wanted !== undefined && wanted !== shown.digest))
      throw new ToolError('PREVIEW_CHANGED', 'What it would do is not what was shown: look at the call again.', {
        tool_call_id
      })
    return { ...shown, preview: approval.preview, files }
  })
}
