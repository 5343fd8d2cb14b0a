// Binds an approval to the whole of a preview that is cut in the call itself.
import { createHash } from 'node:crypto'
import { ToolError } from '../../errors.ts'
import type { CallWithStatus } from '../call.ts'

/** Returns the digest that only the answer with the whole preview contains. */
export const computeWholeDigest = (digest: string): string =>
  createHash('sha256').update(`whole preview ${digest}`).digest('hex')

/** Throws INVALID_PARAMS unless an approval of a cut preview names the digest of the whole. */
export function assertWholePreviewSeen(
  { tool_call_id, approval }: CallWithStatus<'awaiting_approval'>,
  wholeDigest: string | undefined
) {
  if (!approval.preview.cut || wholeDigest === computeWholeDigest(approval.digest)) return
  throw new ToolError(
    'INVALID_PARAMS',
    'The preview is cut for its length, so that this cannot be approved here: review all of it with ' +
      `\`toolgate approve ${tool_call_id}\`.`,
    {
      errors: [{ pointer: '/whole_digest', message: 'must be the whole_digest that GET /calls/{id}/preview returns' }]
    }
  )
}
