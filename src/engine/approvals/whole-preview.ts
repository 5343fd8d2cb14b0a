// Binds an approval to the whole of a preview that is cut in the call itself.
import { createHash } from 'node:crypto'
import { ToolError } from '../../errors.ts'
import type { Approval, CallWithStatus } from '../../protocol/calls.ts'

/** Returns the digest that only the answer with the whole preview contains. */
export const computeWholeDigest = (digest: string): string =>
  createHash('sha256').update(`whole preview ${digest}`).digest('hex')

/** Notes that a preview is cut, for front ends that show no more than the call. */
export const formatCutNote = (id: string): string =>
  `This preview is shortened. To approve the call, review the whole preview: \`toolgate approve ${id}\`, or the console.`

/** Throws INVALID_PARAMS unless an approval of a cut preview names the digest of the whole. */
export function assertWholePreviewSeen(
  { tool_call_id, approval }: CallWithStatus<'awaiting_approval'>,
  wholeDigest: string | undefined
) {
  if (!approval.preview.cut || wholeDigest === computeWholeDigest(approval.digest)) return
  throw new ToolError(
    'INVALID_PARAMS',
    `The preview that was shown is shortened, so it is not enough to approve the call. Review the whole preview with \`toolgate approve ${tool_call_id}\` or in the web console.`,
    {
      errors: [{ pointer: '/whole_digest', message: 'must be the whole_digest that GET /calls/{id}/preview returns' }]
    }
  )
}

/** Throws INVALID_PARAMS if an approval names no dry run of modified params whose preview is cut. */
export function assertModifiedPreviewSeen({ preview }: Approval, modifiedDigest: string | undefined) {
  if (!preview.cut || modifiedDigest !== undefined) return
  throw new ToolError(
    'INVALID_PARAMS',
    'The preview of the modified params is too long to be shown with the call. Review it with a dry run, and send the ' +
      'digest of the dry run as modified_digest.',
    { errors: [{ pointer: '/modified_digest', message: 'must be the digest of a dry run of the modified params' }] }
  )
}
