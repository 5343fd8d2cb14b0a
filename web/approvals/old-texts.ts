// Loads the old texts of the files in a waiting call's diff. The server returns only what the preview may show, and only while the
// files are those that the preview was made of.
import type { LoadText } from '../diff/use-context-rows.ts'
import { canApprove, client } from '../session/session.ts'
import type { WaitingCall } from '../store/approvals.ts'

/** Returns undefined for a file without an old text, or one that must not be shown. */
export function oldTextLoader({ tool_call_id, approval }: WaitingCall, index: number): LoadText | undefined {
  if (!canApprove()) return undefined
  const { digest, files } = approval
  // Calls list the addresses of few files only; all are formed alike.
  const href = files ? files[index]?.before_href : `/calls/${tool_call_id}/preview/${index}/before?digest=${digest}`
  return href === undefined ? undefined : () => client().previewText(href)
}
