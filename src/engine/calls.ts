// The engine's face: everything that can be done with calls. Routes turn HTTP into these methods and back.
import { resolve } from 'node:path/posix'
import { ToolError } from '../errors.ts'
import type { Change } from '../host/change.ts'
import type { Workspace } from '../host/workspace.ts'
import { type ActiveCall, type Caller, joinResultJson, serializePublished } from './active-call.ts'
import { type CallPreview, checkFreshness, getCallPreview, type PreviewFreshness } from './approvals/call-preview.ts'
import {
  type ApprovalDecision,
  alreadyDecidedError,
  approveCall,
  cancelCall,
  type RejectionDecision,
  rejectCall
} from './approvals/decide.ts'
import { explainCall } from './approvals/explain.ts'
import type { Explanation } from './approvals/explanation-schema.ts'
import type { SavedRuleInput } from './approvals/saved-rules.ts'
import { type Call, type CallWithStatus, isSettled } from './call.ts'
import { type DryRunResult, dryRun } from './dry-run.ts'
import type { Engine, OutputPage, OutputPageQuery, ServedWorkspace } from './engine.ts'
import { createHistory } from './history.ts'
import { notRunningError, sendToBackground } from './jobs/background.ts'
import { readCallOutput } from './output/read-output.ts'
import type { SavedRule } from './policy/decision-schemas.ts'
import { prepareRules } from './policy/rules.ts'
import { recoverCalls } from './recover.ts'
import { redactCall } from './redacted-call.ts'
import { locksConflict, type PathLock } from './scheduler.ts'
import { settleExpired } from './settle.ts'
import { resolveWorkspace, type SubmitOptions, type SubmitRequest, submitCall } from './submit.ts'
import { prepareUndo, previewUndo, type UndoDryRun, type UndoOptions } from './undo.ts'

/** A call as far as it is known now, ready to be sent. */
export interface SerializedCall {
  call: Call
  /** The call as JSON. */
  json: string
}

interface WaitOptions {
  ms: number
  /** Wait on while the call needs a decision. */
  throughApproval: boolean
  signal?: AbortSignal | undefined
}

/** What became of one call of a batch, or of one decision among several. */
export type BatchItemOutcome = SerializedCall | { error: unknown } | { skipped: true }

interface LogQuery {
  status?: string | undefined
  tool?: string | undefined
  session_id?: string | undefined
  workspace?: string | undefined
  path?: string | undefined
  id_prefix?: string | undefined
  since?: string | undefined
  until?: string | undefined
  cursor?: string | undefined
  limit: number
}

const EXPIRY_CHECK_MS = 1_000

export class Calls {
  readonly #engine: Engine
  readonly #expiryTimer: NodeJS.Timeout

  private constructor(engine: Engine) {
    this.#engine = engine
    this.#expiryTimer = setInterval(() => this.#expireApprovals(), EXPIRY_CHECK_MS)
    this.#expiryTimer.unref()
  }

  /** Takes over what the run before left, then takes calls. `changes` are what calls did that could not tell it any more. */
  static async start(engine: Engine, changes: ReadonlyMap<string, readonly Change[]> = new Map()): Promise<Calls> {
    const { administrator, user, workspace } = engine.settings.tiers
    await prepareRules([...administrator, ...user, ...workspace, ...engine.rules.list()])
    await recoverCalls(engine, changes)
    return new Calls(engine)
  }

  /** Takes a request and waits as told. The answer may be of an earlier call, where the request was seen before. */
  async submit(
    request: SubmitRequest,
    caller: Caller,
    options: SubmitOptions & { wait: WaitOptions }
  ): Promise<SerializedCall> {
    const live = await submitCall(this.#engine, request, caller, options)
    if ('settled' in live) return this.#getStored(live.settled)
    return this.#waitAndSerialize(live, live.call.background ? { ...options.wait, ms: 0 } : options.wait)
  }

  /** Takes a request and says, at once, which call it made and from which event on its story can be read. */
  async submitForStream(
    request: SubmitRequest,
    caller: Caller,
    options: SubmitOptions
  ): Promise<{ tool_call_id: string; after: number }> {
    const live = await submitCall(this.#engine, request, caller, options)
    if ('settled' in live) return { tool_call_id: live.settled, after: 0 }
    // What was under way when it was taken may be told of later than the call itself.
    return { tool_call_id: live.call.tool_call_id, after: Math.min(live.sinceSeq, this.#engine.journal.head) }
  }

  dryRun(request: SubmitRequest, caller: Caller): Promise<DryRunResult> {
    return dryRun(this.#engine, request, caller)
  }

  /** Why policy says of a call what it says. */
  explain(request: SubmitRequest, caller: Caller): Promise<Explanation> {
    return explainCall(this.#engine, request, caller)
  }

  /** Runs several requests: in parallel, but those that touch the same path in order; one after the other, and none after
   * a failure, with `stopOnError`. The outcomes are in the order of the requests. */
  async batch(
    requests: SubmitRequest[],
    caller: Caller,
    options: { stopOnError: boolean; wait: WaitOptions }
  ): Promise<BatchItemOutcome[]> {
    const one = (request: SubmitRequest) =>
      this.submit(request, caller, { wait: options.wait }).catch((error: unknown) => ({ error }))
    if (!options.stopOnError) return this.#runInPathOrder(requests, one)
    const outcomes: BatchItemOutcome[] = []
    for (const request of requests) {
      const last = outcomes.at(-1)
      outcomes.push(last && !isSuccess(last) ? { skipped: true } : await one(request))
    }
    return outcomes
  }

  /** Name of the workspace that a request of this kind is about; undefined where it would have to name one. */
  resolveWorkspaceName(name: string | undefined): string | undefined {
    const { workspaces } = this.#engine
    if (name === undefined && workspaces.size > 1 && !workspaces.has('default')) return undefined
    return resolveWorkspace(this.#engine, name).name
  }

  /** The call, waiting as told. */
  async get(tool_call_id: string, wait: WaitOptions): Promise<SerializedCall> {
    const live = this.#engine.activeCalls.get(tool_call_id)
    return live ? this.#waitAndSerialize(live, wait) : this.#getStored(tool_call_id)
  }

  /** The log, newest first, as JSON texts; `cursor` for the next page. */
  async list({ cursor, id_prefix, ...query }: LogQuery): Promise<{ calls: string[]; cursor: string | null }> {
    // A read may have been answered while its commit is on its way; the log has it too.
    await this.#engine.store.flushed().catch(() => {})
    const before = cursor === undefined ? undefined : parseCursor(cursor)
    const times = { since: query.since && toUtc(query.since), until: query.until && toUtc(query.until) }
    const id_glob = id_prefix && `${id_prefix}*`
    const rows = this.#engine.store.calls({ ...query, ...times, id_glob, before })
    const last = rows.length === query.limit ? rows.at(-1) : undefined
    return { calls: rows.map(({ head, result }) => joinResultJson(head, result)), cursor: last ? String(last.n) : null }
  }

  /** Calls that wait for a decision, oldest first. */
  pending(): CallWithStatus<'awaiting_approval'>[] {
    return [...this.#engine.activeCalls.values()]
      .map(({ publishedCall }) => publishedCall)
      .filter(call => call.status === 'awaiting_approval')
  }

  /** Calls that wait for their turn or run, oldest first. */
  running(): Call[] {
    return [...this.#engine.activeCalls.values()]
      .map(({ publishedCall }) => publishedCall)
      .filter(({ status }) => status === 'queued' || status === 'running')
  }

  /** Both, as a stream tells of them. */
  redactedOpenCalls(): { pending: Call[]; running: Call[] } {
    const engine = this.#engine
    const told = (calls: readonly Call[]) =>
      calls.map(call => redactCall(engine, engine.activeCalls.get(call.tool_call_id)!, call))
    return { pending: told(this.pending()), running: told(this.running()) }
  }

  async approve(tool_call_id: string, decision: ApprovalDecision, caller: Caller): Promise<SerializedCall> {
    this.#engine.front_ends.markActive(caller.client)
    return serializeCall(await approveCall(this.#engine, this.#getUndecided(tool_call_id), decision, caller))
  }

  async reject(tool_call_id: string, decision: RejectionDecision, caller: Caller): Promise<SerializedCall> {
    this.#engine.front_ends.markActive(caller.client)
    return serializeCall(await rejectCall(this.#engine, this.#getUndecided(tool_call_id), decision, caller))
  }

  /** What a waiting call would make of files; with the digest that was shown, only if it is still that. */
  async getPreview(tool_call_id: string, digest: string | undefined): Promise<CallPreview> {
    return getCallPreview(this.#engine, this.#getUndecided(tool_call_id), digest)
  }

  /** Whether a waiting call would still do what was shown. */
  async checkFreshness(tool_call_id: string): Promise<PreviewFreshness> {
    return checkFreshness(this.#engine, this.#getUndecided(tool_call_id))
  }

  /** Cancels a call, and what of it runs on; one that has ended stays as it is. */
  async cancel(tool_call_id: string, reason: string | undefined): Promise<SerializedCall> {
    const live = this.#engine.activeCalls.get(tool_call_id)
    if (live) await cancelCall(this.#engine, live, reason)
    else this.#getStored(tool_call_id)
    await this.#engine.jobs.stop(tool_call_id, reason ?? 'Cancelled by the client.')
    return live ? { call: live.publishedCall, json: serializePublished(live) } : this.#getStored(tool_call_id)
  }

  /** Sends a running call to the background, and answers with the call as it then stands. */
  async moveToBackground(tool_call_id: string): Promise<SerializedCall> {
    const live = this.#engine.activeCalls.get(tool_call_id)
    if (!live) throw notRunningError(this.#getStored(tool_call_id).call)
    await sendToBackground(this.#engine, live)
    return { call: live.publishedCall, json: serializePublished(live) }
  }

  /** What undoing a call would do now. */
  previewUndo(tool_call_id: string, query: UndoOptions, caller: Caller): Promise<UndoDryRun> {
    return previewUndo(this.#engine, this.#getCall(tool_call_id), query, caller)
  }

  /** Submits the undo of a call. With `publishedCall`, an approver has approved by that what was shown. */
  async undo(
    tool_call_id: string,
    query: UndoOptions & Partial<SubmitRequest>,
    caller: Caller,
    options: SubmitOptions & { wait: WaitOptions }
  ): Promise<SerializedCall> {
    const request = await prepareUndo(this.#engine, this.#getCall(tool_call_id), { ...query, caller, options })
    return this.submit(request, caller, options)
  }

  /** What a command printed, by byte offset; waits for more where there is none yet. */
  output(tool_call_id: string, query: OutputPageQuery): Promise<OutputPage> {
    return readCallOutput(this.#engine, tool_call_id, query, () => isSettled(this.#getCall(tool_call_id)))
  }

  /** Remembered rules, oldest first. */
  rules(): SavedRule[] {
    return this.#engine.rules.list()
  }

  /** Makes a rule; its workspace is given by name. */
  addRule({ workspace, ...rule }: SavedRuleInput, { client }: Caller): Promise<SavedRule> {
    const served = this.#findWorkspace(workspace)
    if (rule.scope !== 'user' && !served) throw invalidFieldError('/workspace', 'must name a served workspace')
    if (rule.scope === 'session' && rule.session_id === undefined)
      throw invalidFieldError('/session_id', 'is required with scope session')
    return this.#engine.rules.add({ ...rule, workspace: served?.root }, client)
  }

  revokeRule(rule_id: string): Promise<SavedRule> {
    return this.#engine.rules.revoke(rule_id)
  }

  /** Takes no more calls; those under way may still end. */
  drain() {
    this.#engine.closed = 'draining'
  }

  /** Ends what still runs as interrupted, after waiting for it to end by itself. Waiting approvals stay. */
  async close(drain_ms: number): Promise<void> {
    this.drain()
    clearInterval(this.#expiryTimer)
    const running = () =>
      [...this.#engine.activeCalls.values()].filter(({ call }) => call.status === 'running' || call.status === 'queued')
    await Promise.all(running().map(live => live.wait({ ms: drain_ms, throughApproval: true })))
    for (const live of running()) {
      live.stopping ??= 'interrupted'
      live.abort.abort(new ToolError('CANCELLED', 'The server stopped.'))
    }
    await Promise.all(running().map(live => live.wait({ ms: 5_000, throughApproval: true })))
    await this.#engine.jobs.close()
  }

  /** The workspace of that name; without one the only one or the default. */
  #findWorkspace(name: string | undefined): ServedWorkspace | undefined {
    const { workspaces } = this.#engine
    return name === undefined && workspaces.size === 1 ? [...workspaces.values()][0] : workspaces.get(name ?? 'default')
  }

  async #waitAndSerialize(live: ActiveCall, { ms, throughApproval, signal }: WaitOptions): Promise<SerializedCall> {
    const call = await live.wait({ ms, throughApproval, signal })
    return { call, json: serializePublished(live) }
  }

  #getCall(tool_call_id: string): Call {
    return this.#engine.activeCalls.get(tool_call_id)?.publishedCall ?? this.#getStored(tool_call_id).call
  }

  #getStored(tool_call_id: string): SerializedCall {
    const row = this.#engine.store.call(tool_call_id)
    if (!row) throw new ToolError('NOT_FOUND', `There is no call ${tool_call_id}.`)
    const json = joinResultJson(row.head, row.result)
    return { call: JSON.parse(row.head) as Call, json }
  }

  #getUndecided(tool_call_id: string): ActiveCall {
    const live = this.#engine.activeCalls.get(tool_call_id)
    if (live) return live
    throw alreadyDecidedError(this.#getStored(tool_call_id).call)
  }

  async #runInPathOrder(
    requests: SubmitRequest[],
    one: (request: SubmitRequest) => Promise<BatchItemOutcome>
  ): Promise<BatchItemOutcome[]> {
    const started: { holds: PathLock[]; outcome: Promise<BatchItemOutcome> }[] = []
    for (const request of requests) {
      const holds = this.getLocks(request)
      const earlier = started.filter(other =>
        other.holds.some(theirs => holds.some(ours => locksConflict(ours, theirs)))
      )
      const outcome = Promise.all(earlier.map(({ outcome }) => outcome)).then(() => one(request))
      started.push({ holds, outcome })
    }
    return Promise.all(started.map(({ outcome }) => outcome))
  }

  /** The paths a request names, as far as they can be told before it is taken: what is wrong with it is told then. */
  getLocks({ workspace, ...request }: SubmitRequest): PathLock[] {
    const served = this.#findWorkspace(workspace)
    if (!served) return []
    try {
      const { agent, toolset } = request
      const { tool, params } = this.#engine.tools.resolve({ ...request, agent, toolset, workspace: served.name })
      const { paths = [] } = tool.subject(params, createHistory(this.#engine, served.name))
      return paths.flatMap(({ path, access, tree }) =>
        access === 'list' ? [] : [{ path: toAbsolutePath(served, path), access, tree: tree ?? false }]
      )
    } catch {
      return []
    }
  }

  #expireApprovals() {
    const now = Date.now()
    for (const live of this.#engine.activeCalls.values()) {
      const { call } = live
      if (call.status !== 'awaiting_approval' || call.approval.expires_at === null) continue
      if (Date.parse(call.approval.expires_at) > now) continue
      live.decisionQueue = live.decisionQueue
        .then(() => (live.call.status === 'awaiting_approval' ? settleExpired(this.#engine, live) : undefined))
        .catch(() => {})
    }
  }
}

const serializeCall = (call: Call): SerializedCall => ({ call, json: JSON.stringify(call) })

const isSuccess = (outcome: BatchItemOutcome) => 'call' in outcome && outcome.call.status === 'success'

/** The absolute path however it is written, but for links. */
function toAbsolutePath({ root, configuredPath }: Workspace, path: string) {
  const absolute = resolve(root, path)
  return configuredPath !== undefined && `${absolute}/`.startsWith(`${configuredPath}/`)
    ? root + absolute.slice(configuredPath.length)
    : absolute
}

/** A time as the store writes it, so that texts compare as times do. */
const toUtc = (time: string) => new Date(time).toISOString()

const invalidFieldError = (pointer: string, message: string) =>
  new ToolError('INVALID_PARAMS', `${pointer} ${message}.`, { errors: [{ pointer, message }] })

function parseCursor(cursor: string) {
  const n = Number(cursor)
  if (Number.isSafeInteger(n) && n >= 0) return n
  throw new ToolError('INVALID_PARAMS', 'The cursor is none of ours.', {
    errors: [{ pointer: '/cursor', message: 'must be the cursor of an earlier page' }]
  })
}
