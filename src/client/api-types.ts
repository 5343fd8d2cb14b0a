// Wire types besides calls and events, as seen by clients.
export type {
  AlwaysLimits,
  ApproveRequest,
  CallPreview,
  PreviewFile,
  PreviewFreshness,
  RejectRequest,
  ShownCall
} from '../protocol/approvals.ts'
export type { BufferInfo, BufferLease, BufferUpdate, FrontEndIdentity } from '../protocol/buffers.ts'
export type { BatchOutcome, CallRequest, DecisionOutcome, LogFilter } from '../protocol/call-requests.ts'
export type { AnsweredDelegation, Delegation, DelegationAnswer } from '../protocol/delegations.ts'
export type { DryRun, Explanation } from '../protocol/explanation.ts'
export type { EditorDiagnostic, EffectAnswer, EffectParams, FrontEndEffect } from '../protocol/front-end.ts'
export type { Job, JobInput, JobQuery, PortLink } from '../protocol/jobs.ts'
export type { McpLogin, McpServerState } from '../protocol/mcp-servers.ts'
export type {
  NewPushSubscription,
  NotificationChannel,
  NotificationState,
  NotificationTestOutcome,
  PushSubscriptionInfo
} from '../protocol/notifications.ts'
export type { OutputPage, OutputRange } from '../protocol/output.ts'
export type { ChangedDecision, NewRule, RuleTest, RuleTestRequest } from '../protocol/rule-test.ts'
export type { Health, State, Stats, ToolStats } from '../protocol/server.ts'
export type {
  ChangingCall,
  SessionChangesPage,
  SessionChangesQuery,
  SessionFile
} from '../protocol/session-changes.ts'
export type { NewMode, SessionModeList, SessionScope, SetSessionMode } from '../protocol/session-mode.ts'
export type { ShellInfo } from '../protocol/shells.ts'
export type { IssuedToken, NewlyIssuedToken, NewToken, OneTimeCode, Right } from '../protocol/tokens.ts'
export type { ToolCallFormat, ToolCallTaken, ToolMessages } from '../protocol/tool-calls.ts'
export type { ListedTool, ToolsQuery } from '../protocol/tools.ts'
export type { UndoPreview, UndoQuery, UndoRequest } from '../protocol/undo.ts'
