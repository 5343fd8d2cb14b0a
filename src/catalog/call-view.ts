// View of a call for toolset responses: the fields of the engine's Call that they use.
import type { Attachment } from '../tool/result.ts'

export interface CallViewResult {
  title: string
  content: string
  data: unknown
  metadata: Record<string, unknown>
  attachments: Attachment[]
  truncated: boolean
}

export interface CallViewError {
  code: string
  message: string
  recoverable: boolean
  details?: Record<string, unknown>
}

export interface CallView {
  tool_call_id: string
  tool: string
  params: unknown
  status: string
  background: boolean
  toolset?: string
  requested_tool?: string
  context?: string
  result?: CallViewResult
  content_removed?: object
  error?: CallViewError
  reason?: string
  user_message?: string
  comments?: { path: string; line: number; side?: 'old' | 'new'; text: string }[]
  rejected_by?: { source: string }
  execution_time_ms?: number
  approval?: {
    level: string
    reason: string
    digest: string
    preview: unknown
    approvals_needed?: number
    approvals?: readonly unknown[]
    always_options: readonly unknown[]
  }
}

/** The call in the toolset's names for the tool and the params. */
export interface NamedCallView {
  call: CallView
  name: string
  args: Record<string, unknown>
}
