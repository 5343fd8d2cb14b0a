// Submission of a request: schema validation, idempotency (the same request sent twice, with one key or id, runs once),
// admission.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ToolError } from '../errors.ts'
import type { AllowUndefined } from '../protocol/allow-undefined.ts'
import type { CallRequest } from '../protocol/call-requests.ts'
import type { Call } from '../protocol/calls.ts'
import type { StoreWrite } from '../store/store-schema.ts'
import type { ResolvedRequest } from '../tool/resolved-request.ts'
import { ActiveCall, type Caller } from './active-call.ts'
import { admitCall } from './admit.ts'
import { restrictedOwner, restrictedShare } from './call-owners.ts'
import { toolForExecutor } from './client-execution.ts'
import { createCallServices } from './create-call-services.ts'
import type { Engine, ServedWorkspace } from './engine.ts'
import type { Evaluation } from './evaluation.ts'
import { newId } from './id.ts'
import { backgroundCallWrite } from './jobs/background.ts'
import { redactCall } from './redacted-call.ts'
import { resolveAgent } from './resolve-agent.ts'
import { createTrace } from './trace.ts'

/** A request to run a tool. Its params are not validated yet. */
export type SubmitRequest = AllowUndefined<Omit<CallRequest, 'params'>> & { params: unknown }

export interface SubmitOptions {
  idempotency_key?: string | undefined
  /** The batch that the request is part of, if the key is the batch's. */
  batch?: BatchPosition | undefined
  /** Id that the API of a model gave the call: the same id in the same session is the same call. */
  model_call_id?: string | undefined
  /** Return no cached result. */
  fresh?: boolean | undefined
  /** Digest of what the sender was shown and approves with the request, if permitted; `confirm` also if it is strict. */
  shown?: { digest: string; confirm: boolean } | undefined
  /** An evaluation of the same request, whose plan is used if it still applies. */
  planned?: Evaluation | undefined
}

/** The position of a request in a batch, with the hash of all of its requests. */
interface BatchPosition {
  index: number
  body_hash: string
}

/**
 * Submits a request. Resolves once the call is admitted: it may have ended, wait for a decision, or still run. A request seen
 * before, by idempotency key or id, returns the call it created then.
 */
export function submitCall(
  engine: Engine,
  request: SubmitRequest,
  caller: Caller,
  options: SubmitOptions = {}
): Promise<ActiveCall | { settled: string }> {
  const keys = requestKeys(request, caller, options)
  for (const each of keys) {
    const known = findKnownKey(engine, each)
    if (!known) continue
    if (known.live) return known.live
    return Promise.resolve(engine.activeCalls.get(known.tool_call_id) ?? { settled: known.tool_call_id })
  }
  const { tool_call_id } = request
  if (tool_call_id !== undefined && (engine.activeCalls.has(tool_call_id) || engine.store.call(tool_call_id)))
    throw new ToolError('CONFLICT', `The id ${tool_call_id} already belongs to another call. Use a new id.`)
  engine.store.assertRoom()
  const live = createActiveCall(engine, request, caller, options)
  engine.storage.assertRoom(live.share)
  const { shown, planned } = options
  const also = (): StoreWrite[] => [
    ...keys.map(
      ({ key, body_hash }): StoreWrite => ['key', key, body_hash, live.call.tool_call_id, live.call.created_at]
    ),
    ...(live.call.background ? [backgroundCallWrite(live.call)] : [])
  ]
  const taken = admitCall(engine, live, { also, shown, planned })
  for (const { key, body_hash } of keys) {
    engine.pendingKeys.set(key, { body_hash, tool_call_id: live.call.tool_call_id, live: taken })
    taken.finally(() => engine.store.flushed().finally(() => engine.pendingKeys.delete(key))).catch(() => {})
  }
  return taken
}

/** Returns true if a request was seen before, by its idempotency key or id. */
export const isKnownRequest = (
  engine: Engine,
  request: SubmitRequest,
  { caller, options }: { caller: Caller; options: SubmitOptions }
): boolean => requestKeys(request, caller, options).some(({ key }) => lookUpKey(engine, key) !== undefined)

/** Returns the id of the call that a request has created, if any; as soon as `submitCall` was called, not only once it resolves. */
export const findSubmittedCall = (
  engine: Engine,
  request: SubmitRequest,
  { caller, options }: { caller: Caller; options: SubmitOptions }
): string | undefined =>
  requestKeys(request, caller, options)
    .map(({ key }) => lookUpKey(engine, key)?.tool_call_id)
    .find(id => id !== undefined)

/** Returns the positions of requests in a batch. Throws CONFLICT if the idempotency key was used for another batch. */
export function placeInBatch(
  engine: Engine,
  requests: readonly SubmitRequest[],
  { caller, idempotency_key }: { caller: Caller; idempotency_key: string }
): BatchPosition[] {
  const body_hash = hashJson(requests)
  return requests.map((request, index) => {
    const batch = { index, body_hash }
    for (const key of requestKeys(request, caller, { idempotency_key, batch })) findKnownKey(engine, key)
    return batch
  })
}

interface KnownRequest {
  body_hash: string
  tool_call_id: string
  /** The call, if the request is not stored yet. */
  live?: Promise<ActiveCall>
}

const lookUpKey = (engine: Engine, key: string): KnownRequest | undefined =>
  engine.pendingKeys.get(key) ?? engine.store.key(key)

/** Returns the call that was created with the key, if any. Throws CONFLICT if that was for another request. */
function findKnownKey(engine: Engine, { key, body_hash, reuse }: RequestKey) {
  const known = lookUpKey(engine, key)
  if (known && known.body_hash !== body_hash) throw new ToolError('CONFLICT', reuse)
  return known
}

/** Creates the call of a request, or throws the error that prevents it. Has no side effects. */
export function createActiveCall(
  engine: Engine,
  request: SubmitRequest,
  caller: Caller,
  { fresh }: SubmitOptions
): ActiveCall {
  if (engine.store.failure)
    throw new ToolError(
      'OVERLOADED',
      'The server cannot write its journal, so it accepts no calls. The server log contains the cause.'
    )
  if (engine.closed) throw new ToolError('OVERLOADED', 'The server is stopping.')
  const owner = restrictedOwner(caller)
  const share = restrictedShare(caller)
  engine.quotas.assertMayOpen(share, request.session_id ?? DEFAULT_SESSION)
  const workspace = resolveWorkspace(engine, request.workspace)
  const { tool, params, toolset } = request
  const agent = resolveAgent(request.agent, caller)
  const may_approve = caller.rights.has('approve')
  const meant = engine.tools.resolve({ tool, params, toolset, agent, may_approve, workspace: workspace.name })
  const abort = new AbortController()
  const call = buildCall(engine, { ...request, agent }, meant, workspace, caller)
  return new ActiveCall({
    call,
    tool: toolForExecutor(meant.tool, call),
    owner,
    share,
    may_approve,
    abort,
    sinceSeq: engine.journal.last,
    services: live => createCallServices(engine, live, workspace),
    bypassCache: fresh ?? false,
    redact: call => redactCall(engine, call)
  })
}

export const DEFAULT_SESSION = 'default'

function buildCall(
  engine: Engine,
  request: SubmitRequest,
  meant: ResolvedRequest,
  workspace: ServedWorkspace,
  { client, trace }: Caller
): Call {
  const { tool, params, toolset, requested_tool } = meant
  const own = typeof tool.timeout_ms === 'function' ? tool.timeout_ms(params) : tool.timeout_ms
  const usual = meant.timeout_ms ?? own
  const { agent, context, if_match, executor } = request
  return {
    status: 'queued',
    tool_call_id: request.tool_call_id ?? newId('tc'),
    tool: tool.name,
    params,
    ...(toolset !== undefined && { toolset }),
    ...(requested_tool !== undefined && { requested_tool }),
    ...(!isDeepStrictEqual(params, request.params) && { requested_params: request.params }),
    session_id: request.session_id ?? DEFAULT_SESSION,
    workspace: workspace.name,
    ...(agent !== undefined && { agent }),
    ...(context !== undefined && { context }),
    background: request.background ?? meant.background ?? false,
    ...(if_match !== undefined && { if_match }),
    ...(executor !== undefined && { executor }),
    client,
    ...((trace || engine.settings.telemetry.otlp_url !== undefined) && { trace: createTrace(trace) }),
    attempts: 0,
    created_at: new Date().toISOString(),
    timeout_ms: Math.min(request.timeout_ms ?? usual, Math.max(engine.settings.limits.timeout_ms, own), MAX_TIMER_MS)
  }
}

/** Maximum delay of a timer in milliseconds; a longer one would fire immediately. */
const MAX_TIMER_MS = 2_147_483_647

/** Returns the workspace of that name; without a name, the default or the only one. */
export function resolveWorkspace({ workspaces }: Engine, name: string | undefined): ServedWorkspace {
  if (name === undefined && workspaces.size > 1 && !workspaces.has('default'))
    throw new ToolError(
      'INVALID_PARAMS',
      `The field workspace is required. Available workspaces: ${[...workspaces.keys()].join(', ')}.`,
      {
        errors: [{ pointer: '/workspace', message: 'is required because several workspaces are served' }]
      }
    )
  const found = name === undefined ? (workspaces.get('default') ?? [...workspaces.values()][0]) : workspaces.get(name)
  if (found) return found
  throw new ToolError(
    'INVALID_PARAMS',
    `There is no workspace of this name. Available workspaces: ${[...workspaces.keys()].join(', ')}.`,
    {
      errors: [{ pointer: '/workspace', message: `must be one of ${[...workspaces.keys()].join(', ')}` }]
    }
  )
}

interface RequestKey {
  /** Includes the token: the keys of different tokens are apart. */
  key: string
  body_hash: string
  /** Message of the error if the key was used for another request. */
  reuse: string
}

function requestKeys(
  request: SubmitRequest,
  { token }: Caller,
  { idempotency_key, batch, model_call_id }: SubmitOptions
): RequestKey[] {
  const { tool_call_id, workspace, session_id } = request
  if (idempotency_key === undefined && tool_call_id === undefined && model_call_id === undefined) return []
  const toKey = (kind: string, name: string, body_hash: string): RequestKey => ({
    key: `${token?.id ?? ''} ${kind} ${name}`,
    body_hash,
    reuse: `${JSON.stringify(name)} was already used as the key of another request. Use a new key.`
  })
  const body_hash = hashJson(request)
  if (model_call_id !== undefined)
    return [
      {
        ...toKey('model', JSON.stringify([workspace, session_id, model_call_id]), body_hash),
        reuse: `The id ${JSON.stringify(model_call_id)} belongs to another call of this session, so this call was not run. Ids must be unique within a session: use one session_id for each conversation.`
      }
    ]
  const keys = tool_call_id === undefined ? [] : [toKey('id', tool_call_id, body_hash)]
  if (idempotency_key === undefined) return keys
  if (batch) return [toKey(`batch ${batch.index}`, idempotency_key, batch.body_hash), ...keys]
  return [toKey('key', idempotency_key, body_hash), ...keys]
}

const hashJson = (value: unknown) =>
  createHash('sha256')
    .update(JSON.stringify(sortKeys(value)))
    .digest('hex')

/** Returns the same value with sorted keys, so that equal requests have equal hashes. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)])
  )
}
