// Taking a request: is it well formed, has it been taken before, what does policy say. Then it runs, waits, or has ended.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ToolError } from '../errors.ts'
import type { Write } from '../store/store.ts'
import type { Meant } from '../tool/resolved-request.ts'
import type { Context } from '../tool/tool.ts'
import { type Caller, Live } from './active-call.ts'
import { take } from './admit.ts'
import { mayReach } from './approvals/url-access.ts'
import { mayShow } from './approvals/visibility.ts'
import { type Call, isSettled } from './call.ts'
import { delegateOf } from './editors/delegate.ts'
import { editorsOf } from './editors/editor-writes.ts'
import type { Engine, ServedWorkspace } from './engine.ts'
import { historyOf } from './history.ts'
import { newId } from './id.ts'
import { backgroundCall } from './jobs/background.ts'
import { tasksOf } from './jobs/background-tasks.ts'
import { agentOf } from './resolve-agent.ts'
import { fileChanged } from './settle.ts'

/** A request to run a tool, as the wire has it. */
export interface Request {
  tool: string
  params: unknown
  /** Toolset that the name and the params are of, where not to be found out by the name. */
  toolset?: string | undefined
  session_id?: string | undefined
  workspace?: string | undefined
  context?: string | undefined
  agent?: string | undefined
  background?: boolean | undefined
  timeout_ms?: number | undefined
  if_match?: string | undefined
  tool_call_id?: string | undefined
}

export interface SubmitOptions {
  idempotency_key?: string | undefined
  /** Give no kept answer. */
  fresh?: boolean | undefined
  /** Digest of what the sender was shown and approves with the request, where they may; `confirm` also where it is strict. */
  shown?: { digest: string; confirm: boolean } | undefined
}

/** Takes a request. Resolves once the call is taken: it may have ended, wait for a decision, or still run. A request seen
 * before, by its key or id, gives the call it made then. */
export function submit(
  engine: Engine,
  request: Request,
  caller: Caller,
  options: SubmitOptions = {}
): Promise<Live | { settled: string }> {
  const keys = keysOf(request, options)
  const body_hash = keys.length === 0 ? '' : hashOf(request)
  for (const key of keys) {
    const known = engine.keys.get(key) ?? engine.store.key(key)
    if (!known) continue
    if (known.body_hash !== body_hash)
      throw new ToolError('CONFLICT', `${key} was used for another request: take a fresh one.`)
    if ('live' in known) return known.live
    return Promise.resolve(engine.live.get(known.tool_call_id) ?? { settled: known.tool_call_id })
  }
  const { tool_call_id } = request
  if (tool_call_id !== undefined && (engine.live.has(tool_call_id) || engine.store.call(tool_call_id)))
    throw new ToolError('CONFLICT', `${tool_call_id} is another call: take a fresh id.`)
  const live = admit(engine, request, caller, options)
  const { shown } = options
  const also = (): Write[] => [
    ...keys.map((key): Write => ['key', key, body_hash, live.call.tool_call_id, live.call.created_at]),
    ...(live.call.background ? [backgroundCall(live.call)] : [])
  ]
  const taken = take(engine, live, { also, shown })
  for (const key of keys) {
    engine.keys.set(key, { body_hash, live: taken })
    taken.finally(() => engine.store.flushed().finally(() => engine.keys.delete(key))).catch(() => {})
  }
  return taken
}

/** Whether a request was seen before, by its key or id. */
export const isKnown = (engine: Engine, request: Request, options: SubmitOptions): boolean =>
  keysOf(request, options).some(key => engine.keys.has(key) || engine.store.key(key) !== undefined)

/** A call of the request, or the error that says why there can be none. Leaves no trace. */
export function admit(engine: Engine, request: Request, caller: Caller, { fresh }: SubmitOptions): Live {
  if (engine.store.failed)
    throw new ToolError('OVERLOADED', 'The journal cannot be written, so no call is taken; see the server log.')
  if (engine.closed) throw new ToolError('OVERLOADED', 'The server is stopping.')
  if (engine.live.size >= engine.settings.limits.queue)
    throw new ToolError('OVERLOADED', `${engine.live.size} calls are open already.`, { retry_after_ms: 1_000 })
  const workspace = workspaceOf(engine, request.workspace)
  const { tool, params, toolset } = request
  const agent = agentOf(request.agent, caller)
  const may_approve = caller.rights.has('approve')
  const meant = engine.tools.meant({ tool, params, toolset, agent, may_approve, workspace: workspace.name })
  const abort = new AbortController()
  return new Live({
    call: newCall(engine, { ...request, agent }, meant, workspace, caller),
    tool: meant.tool,
    may_approve: caller.rights.has('approve'),
    abort,
    since: engine.journal.last,
    context: live => contextOf(engine, live, workspace),
    fresh: fresh ?? false,
    if_match: request.if_match
  })
}

function newCall(engine: Engine, request: Request, meant: Meant, workspace: ServedWorkspace, { client }: Caller): Call {
  const { tool, params, toolset, requested_tool } = meant
  const own = typeof tool.timeout_ms === 'function' ? tool.timeout_ms(params) : tool.timeout_ms
  const usual = meant.timeout_ms ?? own
  const { agent, context } = request
  return {
    status: 'queued',
    tool_call_id: request.tool_call_id ?? newId('tc'),
    tool: tool.name,
    params,
    ...(toolset !== undefined && { toolset }),
    ...(requested_tool !== undefined && { requested_tool }),
    ...(!isDeepStrictEqual(params, request.params) && { requested_params: request.params }),
    session_id: request.session_id ?? 'default',
    workspace: workspace.name,
    ...(agent !== undefined && { agent }),
    ...(context !== undefined && { context }),
    background: request.background ?? meant.background ?? false,
    client,
    attempts: 0,
    created_at: new Date().toISOString(),
    timeout_ms: Math.min(
      request.timeout_ms ?? usual,
      Math.max(engine.settings.limits.timeout_ms, own),
      LONGEST_TIMER_MS
    )
  }
}

/** A timer set for longer would go off at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/** What a tool may use for one call. */
export function contextOf(engine: Engine, live: Live, workspace: ServedWorkspace): Context {
  const { tool_call_id, session_id } = live.call
  const host = engine.host(
    workspace,
    {
      signal: live.abort.signal,
      committed: () => {
        live.acted = true
        return live.intent
      },
      changed: change => {
        live.changes.push(change)
        if (change.after_hash !== undefined)
          engine.findings.edited(workspace.name, change.path, change.after_hash, tool_call_id)
        // Told together with the call's end, in one commit; at once where a tool goes on after its call was ended.
        if (isSettled(live.call)) engine.journal.append([fileChanged(live.call, change)]).catch(() => {})
      },
      editors: editorsOf(engine, live, workspace)
    },
    tool_call_id
  )
  return {
    call_id: tool_call_id,
    session_id,
    workspace: { name: workspace.name, root: workspace.root },
    signal: live.abort.signal,
    moved: live.moved.signal,
    host,
    jobs: tasksOf(engine, live),
    // Decided with the verdict, before the tool is started.
    isolation: { level: 'none', network: [] },
    history: historyOf(engine, workspace.name, live.call),
    delegate: delegateOf(engine, live),
    may_show: use => mayShow(engine, live, use),
    may_reach: url => mayReach(engine, live, url),
    notes: {
      read: key => {
        const value = engine.store.note(workspace.name, session_id, key)
        return value === undefined ? undefined : JSON.parse(value)
      },
      write: (key, value) =>
        engine.store.write(() => [['note', workspace.name, session_id, key, JSON.stringify(value)]])
    }
  }
}

/** The workspace of that name; without one the default or the only one. */
export function workspaceOf({ workspaces }: Engine, name: string | undefined): ServedWorkspace {
  if (name === undefined && workspaces.size > 1 && !workspaces.has('default'))
    throw new ToolError('INVALID_PARAMS', `Name a workspace: ${[...workspaces.keys()].join(', ')}.`, {
      errors: [{ pointer: '/workspace', message: 'is required here' }]
    })
  const found = name === undefined ? (workspaces.get('default') ?? [...workspaces.values()][0]) : workspaces.get(name)
  if (found) return found
  throw new ToolError(
    'INVALID_PARAMS',
    `There is no workspace of that name; there are ${[...workspaces.keys()].join(', ')}.`,
    {
      errors: [{ pointer: '/workspace', message: `must be one of ${[...workspaces.keys()].join(', ')}` }]
    }
  )
}

const keysOf = ({ tool_call_id }: Request, { idempotency_key }: SubmitOptions) => [
  ...(idempotency_key === undefined ? [] : [`key ${idempotency_key}`]),
  ...(tool_call_id === undefined ? [] : [`id ${tool_call_id}`])
]

const hashOf = (request: Request) =>
  createHash('sha256')
    .update(JSON.stringify(sorted(request)))
    .digest('hex')

/** The same value with its keys in order, so that equal requests have equal hashes. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)])
  )
}
