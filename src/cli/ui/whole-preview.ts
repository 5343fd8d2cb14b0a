// Loads all of a preview that is cut in the call.
import type { Client } from '../../client/client.ts'
import type { PendingCall } from './call-watcher.ts'

interface ReviewableCall {
  /** The call with its whole preview. */
  call: PendingCall
  /** Digest that an approval must name as well if the preview is cut in the call. */
  whole_digest?: string
}

/** Throws PREVIEW_CHANGED if the call would no longer do what its preview shows. */
export async function loadWholePreview(
  client: Client,
  call: PendingCall,
  signal: AbortSignal
): Promise<ReviewableCall> {
  const { tool_call_id, approval } = call
  if (!approval.preview.cut) return { call }
  const { preview, whole_digest } = await client.preview(tool_call_id, { digest: approval.digest, signal })
  return {
    call: { ...call, approval: { ...approval, preview } },
    ...(whole_digest !== undefined && { whole_digest })
  }
}
