// What goes over the wire besides calls and events, as clients see it.

import type { Call, Preview } from '../engine/call.ts'
import type { EffectAnswer } from '../engine/editors/delegations.ts'
import type { Job, TaskInput } from '../engine/jobs/jobs.ts'
import type { MatchedRule, SavedRule } from '../engine/policy/decision-schemas.ts'
import type { UndoFile } from '../engine/undo.ts'
import type { ApprovalWaitStats, MinuteStats, ToolStats } from '../events/metrics.ts'
import type { Problem } from '../routes/http/problem-document.ts'
import type { IssuedToken } from '../server/issued-tokens.ts'
import type { Right } from '../server/tokens.ts'

export interface CallRequest {
  tool: string
  params: Record<string, unknown>
  /** Whose name the tool is, where it is not the server's own. */
  toolset?: string
  session_id?: string
  workspace?: string
  context?: string
  agent?: string
  background?: boolean
  timeout_ms?: number
  if_match?: string
  tool_call_id?: string
}

/** Which tools are asked about, and by whose names. */
export interface ToolsQuery {
  agent?: string
  toolset?: string
  workspace?: string
}

export interface DryRun {
  dry_run: true
  tool: string
  verdict: { decision: 'allow' | 'ask' | 'strict' | 'deny'; reason: string; matched_rules: MatchedRule[] }
  paths: { path: string; access: 'read' | 'write' | 'list' }[]
  preview?: Preview
  digest?: string
}

export type { Explanation } from '../engine/approvals/explanation-schema.ts'

export interface ApproveRequest {
  digest?: string
  modified_params?: Record<string, unknown>
  /** What a dry run of `modified_params` told: approves only if that is still what they would do. */
  modified_digest?: string
  always?: string
  confirm?: boolean
  reason?: string
}

export interface RejectRequest {
  reason?: string
  user_message?: string
}

export interface UndoQuery {
  /** `call` (default), or `since`: back to how it was before the call. */
  scope?: 'call' | 'since'
  paths?: string[]
  agent?: string
}

export interface UndoRequest extends UndoQuery {
  /** Of what was shown: whoever may approve has approved it by that. */
  digest?: string
  confirm?: boolean
  session_id?: string
  context?: string
  background?: boolean
  tool_call_id?: string
}

/** What an undo would do now. */
export interface UndoPreview {
  available: boolean
  reason?: string
  files: UndoFile[]
  digest?: string
}

export interface LogQuery {
  status?: Call['status']
  tool?: string
  session_id?: string
  workspace?: string
  path?: string
  /** Only calls whose `tool_call_id` begins with this. */
  id_prefix?: string
  since?: string
  until?: string
  cursor?: string
  limit?: number
}

export interface Health {
  instance: string
  version: string
  protocol: number
}

export interface State {
  instance: string
  head: number
  pending: Call[]
  running: Call[]
  jobs: Job[]
  /** Ids of what front ends were asked and have not answered. */
  delegations: string[]
  sessions: Record<string, 'idle' | 'awaiting_approval' | 'tool_execution'>
}

/** A tool in the native listing. */
export interface ListedTool {
  name: string
  category: string
  description: string
  input: Record<string, unknown>
  output: Record<string, unknown>
  /** The param that says what a call is about. */
  primary: string | null
  effect: string
  timeout_ms: number | null
  idempotent: boolean
}

export interface Output {
  text: string
  offset: number
  next_offset: number
  ended: boolean
  dropped?: { from: number; bytes: number }
}

export interface OutputQuery {
  stream?: 'output' | 'stdout' | 'stderr'
  offset?: number
  limit?: number
  wait_ms?: number
}

export interface JobQuery {
  status?: Job['status']
  session_id?: string
  workspace?: string
}

/** What is written to a job. */
export type JobInput = TaskInput

/** A buffer to tell of. */
export interface BufferUpdate {
  path: string
  content: string
  version?: number
  /** Hash of the file that the editor read. */
  base_hash?: string
}

/** Which front end speaks, and of which workspace. */
export interface FrontEndIdentity {
  /** Default: the name that the client calls itself. */
  client_id?: string
  workspace?: string
}

/** A buffer as it is held. */
export interface BufferInfo {
  path: string
  client_id: string
  client: string
  version?: number
  base_hash?: string
  /** sha256 of the text. */
  hash: string
  size: number
  updated_at: string
  /** Where it was asked for. */
  content?: string
}

/** All that one front end holds in a workspace. */
export interface BufferLease {
  client_id: string
  /** When it is dropped unless the front end speaks up. */
  expires_at: string | null
  buffers: BufferInfo[]
}

export type {
  Delegation,
  EditorDiagnostic,
  EffectAnswer,
  EffectParams,
  FrontEndEffect
} from '../engine/editors/delegations.ts'

/** What has become of what a front end was asked: with the fields that the answer to its effect has. */
export type DelegationAnswer = { status: 'done' | 'refused'; reason?: string } & Partial<
  EffectAnswer<'editor.apply_edit'> & EffectAnswer<'editor.diagnostics'> & EffectAnswer<'editor.show_diff'>
>

export type { CallPreview, PreviewFreshness } from '../engine/approvals/call-preview.ts'
export type { PreviewFile } from '../engine/approvals/preview-files.ts'

export type NewRule = Pick<SavedRule, 'effect' | 'match' | 'scope'> & {
  session_id?: string
  workspace?: string
  reason?: string
  expires_at?: string | null
}

/** One outcome of a batch. */
export type BatchOutcome = Call | { problem: Problem } | { skipped: true }

/** One of several decisions: the call as it is after it, or why it was not made. */
export type DecisionOutcome = Call | { problem: Problem }

export type { ToolStats } from '../events/metrics.ts'
export type { IssuedToken } from '../server/issued-tokens.ts'
export type { Right } from '../server/tokens.ts'

export interface OneTimeCode {
  code: string
  expires_at: string
  /** Where a browser goes, after the address of the server. */
  path: string
}

/** A token with its text, which is shown this once. */
export type NewlyIssuedToken = IssuedToken & { token: string }

export interface NewToken {
  name: string
  rights: readonly Right[]
  /** Its bearer calls as this agent and no other. */
  agent?: string
  /** Default: 90 days. */
  expires_in_ms?: number
}

/** Counts and times since the server started. */
export interface Stats {
  since: string
  tools: ToolStats[]
  server: {
    uptime_ms: number
    rss_bytes: number
    /** Open event streams. */
    streams: number
  }
  /** How long calls waited for a person. */
  approval_wait: ApprovalWaitStats
  /** The last hour, minute by minute, oldest first; the last one has not ended. */
  minutes: MinuteStats[]
}
