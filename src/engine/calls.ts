// The engine's face: everything that can be done with calls. Routes turn HTTP into these methods and back.
import { resolve } from 'node:path/posix'
import { ToolError } from '../errors.ts'
import type { Change, Workspace } from '../host/host.ts'
import { type Caller, joinJson, type Live, shownJson } from './active-call.ts'
import { type Freshness, freshnessOf, type Proposal, proposalOf } from './approvals/call-preview.ts'
import { type Approve, alreadyDecided, approve, cancelCall, type Reject, rejectCall } from './approvals/decide.ts'
import { explain } from './approvals/explain.ts'
import { type Call, type CallWith, isSettled, type RememberedRule } from './call.ts'
import { type DryRun, dryRun } from './dry-run.ts'
import type { Engine, OutputPage, OutputQuery, ServedWorkspace } from './engine.ts'
import { historyOf } from './history.ts'
import { notRunning, sendToBackground } from './jobs/background.ts'
import type { Explanation } from './policy/explanation-schema.ts'
import { readyFor } from './policy/rules.ts'
import type { NewRule } from './policy/saved-rules.ts'
import { outputOf } from './read-output.ts'
import { recover } from './recover.ts'
import { toldCall } from './redacted-call.ts'
import { clashes, type Hold } from './scheduler.ts'
import { expire } from './settle.ts'
import { type Request, type SubmitOptions, submit, workspaceOf } from './submit.ts'
import { showUndo, type UndoQuery, type UndoShown, undoAsShown } from './undo.ts'

/** A call as far as it is known now, ready to be sent. */
export interface Answer {
  call: Call
  /** The call as JSON. */
  json: string
}

interface Wait {
  ms: number
  /** Wait on while the call needs a decision. */
  throughApproval: boolean
  signal?: AbortSignal | undefined
}

/** What became of one call of a batch, or of one decision among several. */
export type Outcome = Answer | { error: unknown } | { skipped: true }

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
  readonly #expiry: NodeJS.Timeout

  private constructor(engine: Engine) {
    this.#engine = engine
    this.#expiry = setInterval(() => this.#expire(), EXPIRY_CHECK_MS)
    this.#expiry.unref()
  }

  /** Takes over what the run before left, then takes calls. `changes` are what calls did that could not tell it any more. */
  static async start(engine: Engine, changes: ReadonlyMap<string, readonly Change[]> = new Map()): Promise<Calls> {
    const { administrator, user, workspace } = engine.settings.tiers
    await readyFor([...administrator, ...user, ...workspace, ...engine.rules.list()])
    await recover(engine, changes)
    return new Calls(engine)
  }

  /** Takes a request and waits as told. The answer may be of an earlier call, where the request was seen before. */
  async submit(request: Request, caller: Caller, options: SubmitOptions & { wait: Wait }): Promise<Answer> {
    const live = await submit(this.#engine, request, caller, options)
    if ('settled' in live) return this.#stored(live.settled)
    return this.#answer(live, live.call.background ? { ...options.wait, ms: 0 } : options.wait)
  }

  /** Takes a request and says, at once, which call it made and from which event on its story can be read. */
  async open(
    request: Request,
    caller: Caller,
    options: SubmitOptions
  ): Promise<{ tool_call_id: string; after: number }> {
    const live = await submit(this.#engine, request, caller, options)
    if ('settled' in live) return { tool_call_id: live.settled, after: 0 }
    // What was under way when it was taken may be told of later than the call itself.
    return { tool_call_id: live.call.tool_call_id, after: Math.min(live.since, this.#engine.journal.head) }
  }

  dryRun(request: Request, caller: Caller): Promise<DryRun> {
    return dryRun(this.#engine, request, caller)
  }

  /** Why policy says of a call what it says. */
  explain(request: Request, caller: Caller): Promise<Explanation> {
    return explain(this.#engine, request, caller)
  }

  /** Runs several requests: in parallel, but those that touch the same path in order; one after the other, and none after
   * a failure, with `stopOnError`. The outcomes are in the order of the requests. */
  async batch(requests: Request[], caller: Caller, options: { stopOnError: boolean; wait: Wait }): Promise<Outcome[]> {
    const one = (request: Request) =>
      this.submit(request, caller, { wait: options.wait }).catch((error: unknown) => ({ error }))
    if (!options.stopOnError) return this.#inPathOrder(requests, one)
    const outcomes: Outcome[] = []
    for (const request of requests) {
      const last = outcomes.at(-1)
      outcomes.push(last && !wentWell(last) ? { skipped: true } : await one(request))
    }
    return outcomes
  }

  /** Name of the workspace that a request of this kind is about; undefined where it would have to name one. */
  workspaceNamed(name: string | undefined): string | undefined {
    const { workspaces } = this.#engine
    if (name === undefined && workspaces.size > 1 && !workspaces.has('default')) return undefined
    return workspaceOf(this.#engine, name).name
  }

  /** The call, waiting as told. */
  async get(tool_call_id: string, wait: Wait): Promise<Answer> {
    const live = this.#engine.live.get(tool_call_id)
    return live ? this.#answer(live, wait) : this.#stored(tool_call_id)
  }

  /** The log, newest first, as JSON texts; `cursor` for the next page. */
  async list({ cursor, id_prefix, ...query }: LogQuery): Promise<{ calls: string[]; cursor: string | null }> {
    // A read may have been answered while its commit is on its way; the log has it too.
    await this.#engine.store.flushed().catch(() => {})
    const before = cursor === undefined ? undefined : cursorNumber(cursor)
    const times = { since: query.since && inUtc(query.since), until: query.until && inUtc(query.until) }
    const id_glob = id_prefix && `${id_prefix}*`
    const rows = this.#engine.store.calls({ ...query, ...times, id_glob, before })
    const last = rows.length === query.limit ? rows.at(-1) : undefined
    return { calls: rows.map(({ head, result }) => joinJson(head, result)), cursor: last ? String(last.n) : null }
  }

  /** Calls that wait for a decision, oldest first. */
  pending(): CallWith<'awaiting_approval'>[] {
    return [...this.#engine.live.values()].map(({ shown }) => shown).filter(call => call.status === 'awaiting_approval')
  }

  /** Calls that wait for their turn or run, oldest first. */
  running(): Call[] {
    return [...this.#engine.live.values()]
      .map(({ shown }) => shown)
      .filter(({ status }) => status === 'queued' || status === 'running')
  }

  /** Both, as a stream tells of them. */
  told(): { pending: Call[]; running: Call[] } {
    const engine = this.#engine
    const told = (calls: readonly Call[]) =>
      calls.map(call => toldCall(engine, engine.live.get(call.tool_call_id)!, call))
    return { pending: told(this.pending()), running: told(this.running()) }
  }

  async approve(tool_call_id: string, decision: Approve, caller: Caller): Promise<Answer> {
    this.#engine.front_ends.active(caller.client)
    return answer(await approve(this.#engine, this.#undecided(tool_call_id), decision, caller))
  }

  async reject(tool_call_id: string, decision: Reject, caller: Caller): Promise<Answer> {
    this.#engine.front_ends.active(caller.client)
    return answer(await rejectCall(this.#engine, this.#undecided(tool_call_id), decision, caller))
  }

  /** What a waiting call would make of files; with the digest that was shown, only if it is still that. */
  async proposal(tool_call_id: string, digest: string | undefined): Promise<Proposal> {
    return proposalOf(this.#engine, this.#undecided(tool_call_id), digest)
  }

  /** Whether a waiting call would still do what was shown. */
  async digest(tool_call_id: string): Promise<Freshness> {
    return freshnessOf(this.#engine, this.#undecided(tool_call_id))
  }

  /** Cancels a call, and what of it runs on; one that has ended stays as it is. */
  async cancel(tool_call_id: string, reason: string | undefined): Promise<Answer> {
    const live = this.#engine.live.get(tool_call_id)
    if (live) await cancelCall(this.#engine, live, reason)
    else this.#stored(tool_call_id)
    await this.#engine.jobs.stop(tool_call_id, reason ?? 'Cancelled by the client.')
    return live ? { call: live.shown, json: shownJson(live) } : this.#stored(tool_call_id)
  }

  /** Sends a running call to the background, and answers with the call as it then stands. */
  async background(tool_call_id: string): Promise<Answer> {
    const live = this.#engine.live.get(tool_call_id)
    if (!live) throw notRunning(this.#stored(tool_call_id).call)
    await sendToBackground(this.#engine, live)
    return { call: live.shown, json: shownJson(live) }
  }

  /** What undoing a call would do now. */
  showUndo(tool_call_id: string, query: UndoQuery, caller: Caller): Promise<UndoShown> {
    return showUndo(this.#engine, this.#known(tool_call_id), query, caller)
  }

  /** Submits the undo of a call. With `shown`, an approver has approved by that what was shown. */
  async undo(
    tool_call_id: string,
    query: UndoQuery & Partial<Request>,
    caller: Caller,
    options: SubmitOptions & { wait: Wait }
  ): Promise<Answer> {
    const request = await undoAsShown(this.#engine, this.#known(tool_call_id), { ...query, caller, options })
    return this.submit(request, caller, options)
  }

  /** What a command printed, by byte offset; waits for more where there is none yet. */
  output(tool_call_id: string, query: OutputQuery): Promise<OutputPage> {
    return outputOf(this.#engine, tool_call_id, query, () => isSettled(this.#known(tool_call_id)))
  }

  /** Remembered rules, oldest first. */
  rules(): RememberedRule[] {
    return this.#engine.rules.list()
  }

  /** Makes a rule; its workspace is given by name. */
  addRule({ workspace, ...rule }: NewRule, { client }: Caller): Promise<RememberedRule> {
    const served = this.#workspace(workspace)
    if (rule.scope !== 'user' && !served) throw missing('/workspace', 'must name a served workspace')
    if (rule.scope === 'session' && rule.session_id === undefined)
      throw missing('/session_id', 'is required with scope session')
    return this.#engine.rules.add({ ...rule, workspace: served?.root }, client)
  }

  revokeRule(rule_id: string): Promise<RememberedRule> {
    return this.#engine.rules.revoke(rule_id)
  }

  /** Takes no more calls; those under way may still end. */
  drain() {
    this.#engine.closed = 'draining'
  }

  /** Ends what still runs as interrupted, after waiting for it to end by itself. Waiting approvals stay. */
  async close(drain_ms: number): Promise<void> {
    this.drain()
    clearInterval(this.#expiry)
    const running = () =>
      [...this.#engine.live.values()].filter(({ call }) => call.status === 'running' || call.status === 'queued')
    await Promise.all(running().map(live => live.wait({ ms: drain_ms, throughApproval: true })))
    for (const live of running()) {
      live.stopping ??= 'interrupted'
      live.abort.abort(new ToolError('CANCELLED', 'The server stopped.'))
    }
    await Promise.all(running().map(live => live.wait({ ms: 5_000, throughApproval: true })))
    await this.#engine.jobs.close()
  }

  /** The workspace of that name; without one the only one or the default. */
  #workspace(name: string | undefined): ServedWorkspace | undefined {
    const { workspaces } = this.#engine
    return name === undefined && workspaces.size === 1 ? [...workspaces.values()][0] : workspaces.get(name ?? 'default')
  }

  async #answer(live: Live, { ms, throughApproval, signal }: Wait): Promise<Answer> {
    const call = await live.wait({ ms, throughApproval, signal })
    return { call, json: shownJson(live) }
  }

  #known(tool_call_id: string): Call {
    return this.#engine.live.get(tool_call_id)?.shown ?? this.#stored(tool_call_id).call
  }

  #stored(tool_call_id: string): Answer {
    const row = this.#engine.store.call(tool_call_id)
    if (!row) throw new ToolError('NOT_FOUND', `There is no call ${tool_call_id}.`)
    const json = joinJson(row.head, row.result)
    return { call: JSON.parse(row.head) as Call, json }
  }

  #undecided(tool_call_id: string): Live {
    const live = this.#engine.live.get(tool_call_id)
    if (live) return live
    throw alreadyDecided(this.#stored(tool_call_id).call)
  }

  async #inPathOrder(requests: Request[], one: (request: Request) => Promise<Outcome>): Promise<Outcome[]> {
    const started: { holds: Hold[]; outcome: Promise<Outcome> }[] = []
    for (const request of requests) {
      const holds = this.holdsOf(request)
      const earlier = started.filter(other => other.holds.some(theirs => holds.some(ours => clashes(ours, theirs))))
      const outcome = Promise.all(earlier.map(({ outcome }) => outcome)).then(() => one(request))
      started.push({ holds, outcome })
    }
    return Promise.all(started.map(({ outcome }) => outcome))
  }

  /** The paths a request names, as far as they can be told before it is taken: what is wrong with it is told then. */
  holdsOf({ workspace, ...request }: Request): Hold[] {
    const served = this.#workspace(workspace)
    if (!served) return []
    try {
      const { agent, toolset } = request
      const { tool, params } = this.#engine.tools.meant({ ...request, agent, toolset, workspace: served.name })
      const { paths = [] } = tool.subject(params, historyOf(this.#engine, served.name))
      return paths.flatMap(({ path, access, tree }) =>
        access === 'list' ? [] : [{ path: placeOf(served, path), access, tree: tree ?? false }]
      )
    } catch {
      return []
    }
  }

  #expire() {
    const now = Date.now()
    for (const live of this.#engine.live.values()) {
      const { call } = live
      if (call.status !== 'awaiting_approval' || call.approval.expires_at === null) continue
      if (Date.parse(call.approval.expires_at) > now) continue
      live.deciding = live.deciding
        .then(() => (live.call.status === 'awaiting_approval' ? expire(this.#engine, live) : undefined))
        .catch(() => {})
    }
  }
}

const answer = (call: Call): Answer => ({ call, json: JSON.stringify(call) })

const wentWell = (outcome: Outcome) => 'call' in outcome && outcome.call.status === 'success'

/** The absolute path however it is written, but for links. */
function placeOf({ root, given }: Workspace, path: string) {
  const absolute = resolve(root, path)
  return given !== undefined && `${absolute}/`.startsWith(`${given}/`) ? root + absolute.slice(given.length) : absolute
}

/** A time as the store writes it, so that texts compare as times do. */
const inUtc = (time: string) => new Date(time).toISOString()

const missing = (pointer: string, message: string) =>
  new ToolError('INVALID_PARAMS', `${pointer} ${message}.`, { errors: [{ pointer, message }] })

function cursorNumber(cursor: string) {
  const n = Number(cursor)
  if (Number.isSafeInteger(n) && n >= 0) return n
  throw new ToolError('INVALID_PARAMS', 'The cursor is none of ours.', {
    errors: [{ pointer: '/cursor', message: 'must be the cursor of an earlier page' }]
  })
}
