// Wire types besides calls and events, as seen by clients.

import type { NewSessionMode } from '../engine/approvals/session-modes.ts'
import type { LogQuery } from '../protocol/call-requests.ts'
import type { Call } from '../protocol/calls.ts'
import type { SavedRule, SetSessionMode } from '../protocol/decisions.ts'
import type { EffectAnswer } from '../protocol/front-end.ts'
import type { Job } from '../protocol/jobs.ts'
import type { Problem } from '../protocol/problem.ts'
import type { UndoFile } from '../protocol/undo.ts'
import type { TaskInput } from '../tool/background-tasks.ts'

export type { CallRequest } from '../protocol/call-requests.ts'

/** The toolset and audience of a tool listing. */
export interface ToolsQuery {
  agent?: string
  toolset?: string
  workspace?: string
}

export type { DryRun, Explanation } from '../protocol/explanation.ts'

export interface ApproveRequest {
  /** Digest of the preview that was shown: `approval.digest` of the call. */
  digest: string
  /** Required if the preview of the call is cut: the digest that `preview` returns with all of it. */
  whole_digest?: string
  modified_params?: Record<string, unknown>
  /** Digest of a dry run of `modified_params`: approves only if it still matches. */
  modified_digest?: string
  always?: string
  confirm?: boolean
  reason?: string
}

/** A call to be approved together with others, and the digest of its preview that was shown. */
export interface ShownCall extends Pick<ApproveRequest, 'digest' | 'whole_digest'> {
  tool_call_id: string
}

export interface RejectRequest {
  reason?: string
  user_message?: string
}

export interface UndoQuery {
  /** `call` (default), or `since`: reverts to the state before the call. */
  scope?: 'call' | 'since'
  paths?: string[]
  agent?: string
}

export interface UndoRequest extends UndoQuery {
  /** Digest of the shown preview: with it, a sender that may approve has approved. */
  digest?: string
  confirm?: boolean
  session_id?: string
  context?: string
  background?: boolean
  tool_call_id?: string
}

/** The preview of an undo. */
export interface UndoPreview {
  available: boolean
  reason?: string
  files: UndoFile[]
  digest?: string
}

/** Selects calls of the log. */
export type LogFilter = Partial<LogQuery>

export interface State {
  instance: string
  /** Id of the journal: another one after a restore, a repair or a loss. */
  journal_id: string
  head: number
  pending: Call[]
  running: Call[]
  jobs: Job[]
  /** Ids of open delegations. */
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
  /** The param with the subject of a call. */
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

/** Input to a job. */
export type JobInput = TaskInput

/** Identifies a front end and its workspace. */
export interface FrontEndIdentity {
  /** Default: the client's name. */
  client_id?: string
  workspace?: string
}

export type { Delegation } from '../engine/editors/delegations.ts'
export type { EditorDiagnostic, EffectAnswer, EffectParams, FrontEndEffect } from '../protocol/front-end.ts'

/** The outcome of a delegation, with the fields of the effect's answer. */
export type DelegationAnswer = { status: 'done' | 'refused'; reason?: string } & Partial<
  EffectAnswer<'editor.apply_edit'> & EffectAnswer<'editor.diagnostics'> & EffectAnswer<'editor.show_diff'>
>

export type { CallPreview, PreviewFreshness } from '../engine/approvals/call-preview.ts'
export type { PreviewFile } from '../engine/approvals/preview-files.ts'

/** Mode of a session that is to be set. */
export type NewMode = Omit<NewSessionMode, 'session_id'>

export type NewRule = Pick<SavedRule, 'effect' | 'match' | 'scope'> & {
  session_id?: string
  workspace?: string
  reason?: string
  expires_at?: string | null
}

/** A change of the rules or the mode, and the past calls that it is tested on. */
export type RuleTestRequest = {
  since: string
  session_id?: string
  workspace?: string
  limit?: number
} & ({ rule: NewRule } | { revoke: string } | { mode: SetSessionMode['mode'] })

/** One outcome of a batch. */
export type BatchOutcome = Call | { problem: Problem } | { skipped: true }

/** One of several decisions: the resulting call, or the problem that prevented it. */
export type DecisionOutcome = Call | { problem: Problem }

export type { BufferInfo, BufferLease, BufferUpdate } from '../protocol/buffers.ts'
export type { ChangedDecision, RuleTest } from '../protocol/rule-test.ts'
export type { Health, Stats, ToolStats } from '../protocol/server.ts'
export type { IssuedToken, NewlyIssuedToken, NewToken, Right } from '../protocol/tokens.ts'

export interface OneTimeCode {
  code: string
  expires_at: string
  /** URL path for a browser, relative to the server's address. */
  path: string
}

/** A link that opens a port of a job in a browser, once. */
export interface PortLink {
  url: string
  expires_at: string
}
