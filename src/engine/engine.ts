// Shared state of the engine, and the only way in which a call takes a step: new value, row and events in one transaction.
import type { AgentIdentity } from '../config/agents.ts'
import type { Settings } from '../config/settings.ts'
import type { Journal } from '../events/journal.ts'
import type { Activity, Sessions } from '../events/sessions.ts'
import type { EditorBuffers } from '../host/editors/editor-buffers.ts'
import type { Effects } from '../host/effects.ts'
import type { Host } from '../host/host.ts'
import type { LanguageServers } from '../host/lsp/language-service.ts'
import type { SandboxLevels } from '../host/sandbox/sandbox.ts'
import type { SecretMasker } from '../host/secrets/secret-masker.ts'
import type { WorkspacePresence } from '../host/watch/workspace-presence.ts'
import type { Workspace } from '../host/workspace.ts'
import { type Call, type CallStatus, isSettled } from '../protocol/calls.ts'
import type { NewEvent } from '../protocol/events.ts'
import type { ProtectedResources } from '../shell/command-line-analysis.ts'
import type { Store } from '../store/store.ts'
import type { StoreWrite } from '../store/store-schema.ts'
import type { ResolvedRequest } from '../tool/resolved-request.ts'
import type { Tool } from '../tool/tool.ts'
import { type ActiveCall, serializeHead } from './active-call.ts'
import type { FileOrigins } from './approvals/file-origins.ts'
import type { HubRules } from './approvals/hub-rules.ts'
import type { RuleBudgets } from './approvals/rule-budgets.ts'
import type { RunningSources } from './approvals/running-sources.ts'
import type { SavedRules } from './approvals/saved-rules.ts'
import type { SessionModes } from './approvals/session-modes.ts'
import type { CallOwners } from './call-owners.ts'
import type { CallQuotas } from './call-quotas.ts'
import { contentExpiryWrites } from './content-expiry.ts'
import type { DiagnosticsFeed } from './diagnostics/diagnostics-feed.ts'
import type { Delegations } from './editors/delegations.ts'
import type { FrontEndRegistry } from './editors/front-end-registry.ts'
import type { ConfiguredHooks } from './hooks/configured-hooks.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { CapturedOutputs } from './output/captured-outputs.ts'
import type { ResultCache } from './result-cache.ts'
import type { Scheduler } from './scheduler.ts'
import type { Shells } from './shells.ts'
import type { StorageQuotas } from './storage-quotas.ts'

interface ToolRequest {
  tool: string
  params: unknown
  toolset: string | undefined
  agent: string | undefined
  may_approve?: boolean
  workspace: string
}

/** The tool catalog, and the validation of params. */
interface ToolSource {
  /** Returns the tool of that name, if the workspace serves it and this agent may see it. */
  find(name: string, audience: AgentIdentity & { workspace: string }): Tool | undefined
  /** Returns true if this agent is denied a tool of that name. */
  isDenied(name: string, asker: AgentIdentity): boolean
  /** Throws INVALID_PARAMS with a JSON pointer for each error. */
  validate(tool: Tool, params: unknown): void
  /** Resolves a request in the names of any toolset. Throws if it resolves to nothing, or its params are invalid. */
  resolve(request: ToolRequest): ResolvedRequest
  /** Translates params from the names of the call's toolset to those of its tool. */
  translateParams(call: Call, params: unknown): unknown
  /** Returns the alternate names that rules may use for a tool. */
  alternateNames(tool: string): readonly string[]
}

/** A workspace with a change detector for its tree. */
export interface ServedWorkspace extends Workspace {
  /** Returns a counter of all file changes seen on disk, after settling pending ones; undefined while it is not reliable. */
  treeVersion(): Promise<string | undefined>
}

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface Engine {
  readonly settings: Settings
  readonly tools: ToolSource
  readonly workspaces: ReadonlyMap<string, ServedWorkspace>
  /** Creates the host access of one call. */
  readonly createHost: (workspace: ServedWorkspace, effects: Effects, tool_call_id: string) => Host
  /** Isolation levels that commands can run at. */
  readonly sandbox: SandboxLevels
  /** Resources that no command may name. */
  readonly serverResources: () => ProtectedResources
  readonly store: Store
  /** Returns the secret that keys the digests of calls. It lasts as long as the journal. */
  readonly digestKey: () => Buffer
  readonly journal: Journal
  readonly sessions: Sessions
  readonly scheduler: Scheduler
  readonly cache: ResultCache
  readonly rules: SavedRules
  /** Numbers of calls that rules with a limit have allowed. */
  readonly budgets: RuleBudgets
  /** The hub: its rules that are in force here, and the reason for which its people cannot decide at the moment. */
  readonly hub: { readonly rules: HubRules; outage(): string | undefined }
  readonly modes: SessionModes
  readonly shells: Shells
  /** Sessions that created files, and paths that calls have vacated. */
  readonly origins: FileOrigins
  /** Redacts secrets in error messages. */
  readonly masking: Pick<SecretMasker, 'maskValue' | 'maskForDecision'>
  /** Unsaved buffers of editors. */
  readonly buffers: EditorBuffers
  /** Connected front ends and the effects that they offer. */
  readonly front_ends: FrontEndRegistry
  readonly delegations: Delegations
  readonly outputs: CapturedOutputs
  /** Contents that undo needs, by hash. */
  readonly blobs: { remove(hash: string): void }
  /** Background jobs. */
  readonly jobs: Jobs
  /** Hooks around calls. */
  readonly hooks: ConfiguredHooks
  readonly languageServers: Pick<LanguageServers, 'warm'>
  /** Diagnostics of language servers. */
  readonly diagnostics: DiagnosticsFeed
  readonly log: Log
  /** Calls that have not ended, or whose end is not durable yet. */
  readonly activeCalls: Map<string, ActiveCall>
  /** The tokens that calls belong to. */
  readonly owners: CallOwners
  /** Limits of the calls of one token. */
  readonly quotas: CallQuotas
  /** Limits of what one token writes to the disks. */
  readonly storage: StorageQuotas
  readonly presence: Pick<WorkspacePresence, 'assertPresent'>
  /** Files that running commands execute. */
  readonly runningSources: RunningSources
  /** Idempotency keys of requests that are not durable yet, with the call that each created. */
  readonly pendingKeys: Map<string, { body_hash: string; tool_call_id: string; live: Promise<ActiveCall> }>
  /** Counts the changes that calls made to each workspace, so that older results are known to be stale. */
  readonly workspaceEpochs: Map<string, number>
  /** Reason for which no new calls are accepted, if so. */
  closed: 'draining' | undefined
}

const ACTIVITY_BY_STATUS: Partial<Record<CallStatus, Activity>> = {
  awaiting_approval: 'awaiting_approval',
  queued: 'tool_execution',
  running: 'tool_execution'
}

/** Counts a newly admitted call among those of its session. */
export function registerCall(engine: Engine, live: ActiveCall) {
  engine.activeCalls.set(live.call.tool_call_id, live)
  engine.sessions.transition(live.call.session_id, undefined, ACTIVITY_BY_STATUS[live.call.status])
}

/** Removes a call that was refused before anything of it was published or stored. */
export function unregisterCall(engine: Engine, { call }: ActiveCall) {
  engine.activeCalls.delete(call.tool_call_id)
  engine.sessions.transition(call.session_id, ACTIVITY_BY_STATUS[call.status], undefined)
}

/**
 * Takes a step of the call: sets the new value in memory and appends the events to the journal. Resolves when that is durable.
 */
export function transition(
  engine: Engine,
  live: ActiveCall,
  next: Call,
  events: NewEvent[],
  also: () => StoreWrite[] = noWrites
): Promise<void> {
  engine.sessions.transition(next.session_id, ACTIVITY_BY_STATUS[live.call.status], ACTIVITY_BY_STATUS[next.status])
  live.call = next
  live.steps += 1
  const { steps } = live
  const ended = isSettled(next)
  const durable = engine.journal.append(events, () => [...callRowWrites(engine, live), ...also()], live.resultJson)
  const shown = durable.then(() => {
    if (ended) engine.activeCalls.delete(next.tool_call_id)
    if (live.steps === steps) live.publish()
  })
  // Not every step is awaited; the store reports a journal failure once.
  shown.catch(() => {})
  return shown
}

/** Changes a call without a step: only in memory, until the next step. */
export function updateInMemory(live: ActiveCall, next: Call) {
  const isShown = live.isPublished
  live.call = next
  if (isShown) live.publish()
}

const noWrites = () => []

/** Returns the writes for the stored row, unless a later step in the same batch has made them already. */
function callRowWrites({ storage }: Engine, live: ActiveCall): StoreWrite[] {
  if (!live.isDirty) return []
  live.isDirty = false
  const { call, owner, evaluation, changes } = live
  const redacted = live.redacted()
  const paths = new Set([...(evaluation?.paths ?? []), ...changes].map(({ path }) => path))
  const head = serializeHead(redacted)
  storage.record(live.share, head.length + (live.resultJson?.length ?? 0))
  return [
    [
      'call',
      call.tool_call_id,
      call.tool,
      call.status,
      call.session_id,
      call.workspace,
      call.created_at,
      paths.size > 0 ? `\n${[...paths].join('\n')}\n` : '',
      head,
      live.sharedResultOf === undefined ? (live.resultJson ?? null) : null,
      live.sharedResultOf ?? null,
      owner ?? null
    ],
    ...openParamsWrites(call, redacted),
    ...contentExpiryWrites(call, evaluation)
  ]
}

/** Returns the writes for params that hold credentials: a call that has not ended needs them after a restart. */
function openParamsWrites(call: Call, { params, requested_params }: Call): StoreWrite[] {
  if (params === call.params && requested_params === call.requested_params) return []
  const { tool_call_id } = call
  if (isSettled(call)) return [['forgetOpenParams', tool_call_id]]
  const open = { params: call.params, requested_params: call.requested_params }
  return [['openParams', tool_call_id, JSON.stringify(open)]]
}

/** Returns the fields that identify the source of an event. */
export const getCallScope = ({ tool_call_id, session_id, workspace }: Call) => ({ session_id, workspace, tool_call_id })
