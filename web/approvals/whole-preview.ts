// Loads all of a preview that is cut in the call: only what was on the screen is approved.
import { canApprove, client } from '../session/session.ts'
import { replacePreview, type WaitingCall } from '../store/approvals.ts'
import { setDecisionError } from './decision-errors.ts'

/** The digests that approvals of such previews must name, by the digest of the call. */
const wholeDigests = new Map<string, string>()

export const getWholeDigest = (digest: string): string | undefined => wholeDigests.get(digest)

/** Replaces a preview that is cut by all of it. */
export async function loadWholePreview({ tool_call_id, approval: { digest, preview } }: WaitingCall): Promise<void> {
  if (!preview.cut || !canApprove()) return
  try {
    const whole = await client().preview(tool_call_id, { digest })
    if (whole.whole_digest !== undefined) wholeDigests.set(digest, whole.whole_digest)
    replacePreview(tool_call_id, digest, whole.preview)
  } catch (error) {
    setDecisionError(tool_call_id, `The rest of the preview could not be loaded: ${(error as Error).message}`)
  }
}
