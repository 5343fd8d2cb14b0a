// What the parts of the engine share, and the one way a call takes a step: new value, row and events in one transaction.
import type { Asker } from '../config/agents.ts'
import type { Settings } from '../config/schema.ts'
import type { NewEvent } from '../events/events.ts'
import type { Journal } from '../events/journal.ts'
import type { Activity, Sessions } from '../events/sessions.ts'
import type { Buffers } from '../host/editors/editor-buffers.ts'
import type { Effects, Host, Workspace } from '../host/host.ts'
import type { LanguageServers } from '../host/lsp/language-service.ts'
import type { Sandbox } from '../host/sandbox/sandbox.ts'
import type { Masking } from '../host/secrets/secret-masker.ts'
import type { Surroundings } from '../shell/command-line-analysis.ts'
import type { Store, Write } from '../store/store.ts'
import type { OutputPage, OutputQuery } from '../tool/background-tasks.ts'
import type { Meant } from '../tool/resolved-request.ts'
import type { Tool } from '../tool/tool.ts'
import { headJson, type Live } from './active-call.ts'
import { type Call, isSettled, type Status } from './call.ts'
import type { Findings } from './diagnostics/diagnostics-feed.ts'
import type { Delegations } from './editors/delegations.ts'
import type { FrontEnds } from './editors/front-end-registry.ts'
import type { ConfiguredHooks } from './hooks/configured-hooks.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { RememberedRules } from './policy/saved-rules.ts'
import type { ResultCache } from './result-cache.ts'
import type { Scheduler } from './scheduler.ts'

interface Requested {
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
  find(name: string, audience: Asker & { workspace: string }): Tool | undefined
  /** Whether this agent is kept from a tool of that name. */
  denies(name: string, asker: Asker): boolean
  /** Throws INVALID_PARAMS with the pointer of every fault. */
  check(tool: Tool, params: unknown): void
  /** What a request means, whatever names it is made by. Throws where it means nothing, or its params do not fit. */
  meant(request: Requested): Meant
  /** Params that are given by the names by which a call was asked for, as its tool takes them. */
  ownParams(call: Call, params: unknown): unknown
  /** The other names that rules may have for a tool. */
  otherNames(tool: string): readonly string[]
}

/** A workspace with what tells whether its tree has changed. */
export interface ServedWorkspace extends Workspace {
  /** Counts changes of any file seen on disk; undefined while that cannot be told for certain. Settles what is on its way first. */
  treeVersion(): Promise<string | undefined>
}

export type { OutputPage, OutputQuery } from '../tool/background-tasks.ts'

/** Captured output of calls, by id. */
export interface CapturedOutputs {
  read(tool_call_id: string, query: OutputQuery): Promise<OutputPage | undefined>
  /** Resolves when the capture of a call begins, or begins again, or the signal aborts. */
  opened(tool_call_id: string, signal: AbortSignal): Promise<void>
  /** How much was captured so far, in bytes, while more may come; 0 of any other call. */
  printed(tool_call_id: string): number
  /** How much was captured, in bytes. */
  size(tool_call_id: string): Promise<number>
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
  /** What one call may use of the machine. */
  readonly host: (workspace: ServedWorkspace, effects: Effects, tool_call_id: string) => Host
  /** What keeps commands here. */
  readonly sandbox: Pick<Sandbox, 'default' | 'states'>
  /** What no command may name. */
  readonly surroundings: () => Surroundings
  readonly store: Store
  readonly journal: Journal
  readonly sessions: Sessions
  readonly scheduler: Scheduler
  readonly cache: ResultCache
  readonly rules: RememberedRules
  /** Keeps secrets out of what failures say. */
  readonly masking: Pick<Masking, 'maskedAll' | 'maskedToDecideOn'>
  /** What editors hold unsaved. */
  readonly buffers: Buffers
  /** Who can be asked to do something for a call, and what they have been asked. */
  readonly front_ends: FrontEnds
  readonly delegations: Delegations
  readonly outputs: CapturedOutputs
  /** What runs on after its call. */
  readonly jobs: Jobs
  /** Programs that look at calls. */
  readonly hooks: ConfiguredHooks
  readonly languages: Pick<LanguageServers, 'warm'>
  /** What language servers find wrong. */
  readonly findings: Findings
  readonly log: Log
  /** Calls that have not ended, or whose end is not durable yet. */
  readonly live: Map<string, Live>
  /** Keys of requests that are not durable yet, with the call they made. */
  readonly keys: Map<string, { body_hash: string; live: Promise<Live> }>
  /** Counts what calls have done to each workspace, so that an older answer is known to be old. */
  readonly epochs: Map<string, number>
  /** Why no new calls are taken, if so. */
  closed: 'draining' | undefined
}

const ACTIVITY: Partial<Record<Status, Activity>> = {
  awaiting_approval: 'awaiting_approval',
  queued: 'tool_execution',
  running: 'tool_execution'
}

/** Counts a call that has just been taken among its session's. */
export function enter(engine: Engine, live: Live) {
  engine.live.set(live.call.tool_call_id, live)
  engine.sessions.move(live.call.session_id, undefined, ACTIVITY[live.call.status])
}

/** The step of a call: its new value in memory now, with the events in the journal soon. Resolves when that is durable. */
export function step(
  engine: Engine,
  live: Live,
  next: Call,
  events: NewEvent[],
  also: () => Write[] = none
): Promise<void> {
  engine.sessions.move(next.session_id, ACTIVITY[live.call.status], ACTIVITY[next.status])
  live.call = next
  live.steps += 1
  const { steps } = live
  const ended = isSettled(next)
  const durable = engine.journal.append(events, () => [...row(live), ...also()], live.result_json)
  const shown = durable.then(() => {
    if (ended) engine.live.delete(next.tool_call_id)
    if (live.steps === steps) live.show()
  })
  // Not every step is waited for; a journal that fails is told once, by the store.
  shown.catch(() => {})
  return shown
}

/** A change of a call that is no step of its own: only memory knows until the next one. */
export function note(live: Live, next: Call) {
  const isShown = live.shown === live.call
  live.call = next
  if (isShown) live.show()
}

const none = () => []

/** The stored row, unless a later step in the same batch has already made it. */
function row(live: Live): Write[] {
  if (!live.unsaved) return []
  live.unsaved = false
  const { call, assessment, changes } = live
  const paths = new Set([...(assessment?.paths ?? []), ...changes].map(({ path }) => path))
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
      headJson(call),
      live.result_of === undefined ? (live.result_json ?? null) : null,
      live.result_of ?? null
    ]
  ]
}

/** The fields that say whose event it is. */
export const about = ({ tool_call_id, session_id, workspace }: Call) => ({ session_id, workspace, tool_call_id })
