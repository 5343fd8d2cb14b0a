// What the parts of the engine share, and the one way a call takes a step: new value, row and events in one transaction.
import type { AgentIdentity } from '../config/agents.ts'
import type { Settings } from '../config/settings.ts'
import type { NewEvent } from '../events/events.ts'
import type { Journal } from '../events/journal.ts'
import type { Activity, Sessions } from '../events/sessions.ts'
import type { EditorBuffers } from '../host/editors/editor-buffers.ts'
import type { Effects } from '../host/effects.ts'
import type { Host } from '../host/host.ts'
import type { LanguageServers } from '../host/lsp/language-service.ts'
import type { Sandbox } from '../host/sandbox/sandbox.ts'
import type { SecretMasker } from '../host/secrets/secret-masker.ts'
import type { Workspace } from '../host/workspace.ts'
import type { ProtectedResources } from '../shell/command-line-analysis.ts'
import type { Store, StoreWrite } from '../store/store.ts'
import type { ResolvedRequest } from '../tool/resolved-request.ts'
import type { Tool } from '../tool/tool.ts'
import { type ActiveCall, serializeHead } from './active-call.ts'
import type { SavedRules } from './approvals/saved-rules.ts'
import { type Call, type CallStatus, isSettled } from './call.ts'
import type { DiagnosticsFeed } from './diagnostics/diagnostics-feed.ts'
import type { Delegations } from './editors/delegations.ts'
import type { FrontEndRegistry } from './editors/front-end-registry.ts'
import type { ConfiguredHooks } from './hooks/configured-hooks.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { CapturedOutputs } from './output/captured-outputs.ts'
import type { ResultCache } from './result-cache.ts'
import type { Scheduler } from './scheduler.ts'

interface ToolRequest {
  tool: string
  params: unknown
  toolset: string | undefined
  agent: string | undefined
  may_approve?: boolean
  workspace: string
}

/** Where tools come from, and whether params fit them. */
interface ToolSource {
  /** The tool of that name, if it is served in that workspace and this agent may see it. */
  find(name: string, audience: AgentIdentity & { workspace: string }): Tool | undefined
  /** Whether this agent is kept from a tool of that name. */
  isDenied(name: string, asker: AgentIdentity): boolean
  /** Throws INVALID_PARAMS with the pointer of every fault. */
  validate(tool: Tool, params: unknown): void
  /** What a request means, whatever names it is made by. Throws where it means nothing, or its params do not fit. */
  resolve(request: ToolRequest): ResolvedRequest
  /** Params that are given by the names by which a call was asked for, as its tool takes them. */
  translateParams(call: Call, params: unknown): unknown
  /** The other names that rules may have for a tool. */
  alternateNames(tool: string): readonly string[]
}

/** A workspace with what tells whether its tree has changed. */
export interface ServedWorkspace extends Workspace {
  /** Counts changes of any file seen on disk; undefined while that cannot be told for certain. Settles what is on its way first. */
  treeVersion(): Promise<string | undefined>
}

export type { OutputPage, OutputPageQuery } from '../tool/background-tasks.ts'

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface Engine {
  readonly settings: Settings
  readonly tools: ToolSource
  readonly workspaces: ReadonlyMap<string, ServedWorkspace>
  /** What one call may use of the machine. */
  readonly createHost: (workspace: ServedWorkspace, effects: Effects, tool_call_id: string) => Host
  /** What keeps commands here. */
  readonly sandbox: Pick<Sandbox, 'default' | 'states'>
  /** What no command may name. */
  readonly serverResources: () => ProtectedResources
  readonly store: Store
  readonly journal: Journal
  readonly sessions: Sessions
  readonly scheduler: Scheduler
  readonly cache: ResultCache
  readonly rules: SavedRules
  /** Keeps secrets out of what failures say. */
  readonly masking: Pick<SecretMasker, 'maskValue' | 'maskForDecision'>
  /** What editors hold unsaved. */
  readonly buffers: EditorBuffers
  /** Who can be asked to do something for a call, and what they have been asked. */
  readonly front_ends: FrontEndRegistry
  readonly delegations: Delegations
  readonly outputs: CapturedOutputs
  /** What runs on after its call. */
  readonly jobs: Jobs
  /** Programs that look at calls. */
  readonly hooks: ConfiguredHooks
  readonly languageServers: Pick<LanguageServers, 'warm'>
  /** What language servers find wrong. */
  readonly diagnostics: DiagnosticsFeed
  readonly log: Log
  /** Calls that have not ended, or whose end is not durable yet. */
  readonly activeCalls: Map<string, ActiveCall>
  /** Keys of requests that are not durable yet, with the call they made. */
  readonly pendingKeys: Map<string, { body_hash: string; live: Promise<ActiveCall> }>
  /** Counts what calls have done to each workspace, so that an older answer is known to be old. */
  readonly workspaceEpochs: Map<string, number>
  /** Why no new calls are taken, if so. */
  closed: 'draining' | undefined
}

const ACTIVITY_BY_STATUS: Partial<Record<CallStatus, Activity>> = {
  awaiting_approval: 'awaiting_approval',
  queued: 'tool_execution',
  running: 'tool_execution'
}

/** Counts a call that has just been taken among its session's. */
export function registerCall(engine: Engine, live: ActiveCall) {
  engine.activeCalls.set(live.call.tool_call_id, live)
  engine.sessions.transition(live.call.session_id, undefined, ACTIVITY_BY_STATUS[live.call.status])
}

/** The step of a call: its new value in memory now, with the events in the journal soon. Resolves when that is durable. */
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
  const durable = engine.journal.append(events, () => [...callRowWrites(live), ...also()], live.resultJson)
  const shown = durable.then(() => {
    if (ended) engine.activeCalls.delete(next.tool_call_id)
    if (live.steps === steps) live.publish()
  })
  // Not every step is waited for; a journal that fails is told once, by the store.
  shown.catch(() => {})
  return shown
}

/** A change of a call that is no step of its own: only memory knows until the next one. */
export function updateInMemory(live: ActiveCall, next: Call) {
  const isShown = live.publishedCall === live.call
  live.call = next
  if (isShown) live.publish()
}

const noWrites = () => []

/** The stored row, unless a later step in the same batch has already made it. */
function callRowWrites(live: ActiveCall): StoreWrite[] {
  if (!live.isDirty) return []
  live.isDirty = false
  const { call, evaluation, changes } = live
  const paths = new Set([...(evaluation?.paths ?? []), ...changes].map(({ path }) => path))
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
      serializeHead(call),
      live.sharedResultOf === undefined ? (live.resultJson ?? null) : null,
      live.sharedResultOf ?? null
    ]
  ]
}

/** The fields that say whose event it is. */
export const getCallScope = ({ tool_call_id, session_id, workspace }: Call) => ({ session_id, workspace, tool_call_id })
