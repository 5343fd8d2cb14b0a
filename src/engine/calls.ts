// Facade of the engine: every operation on calls. Routes translate HTTP to these methods and back.

import { invalidFieldError, ToolError } from '../errors.ts'
import type { Change } from '../host/change.ts'
import type { AllowUndefined } from '../protocol/allow-undefined.ts'
import type { CallPreview, PreviewFreshness } from '../protocol/approvals.ts'
import type { LogQuery } from '../protocol/call-requests.ts'
import { type Call, type CallWithStatus, isSettled } from '../protocol/calls.ts'
import type { ApprovedBy, SavedRule } from '../protocol/decisions.ts'
import type { Explanation } from '../protocol/explanation.ts'
import type { OutputPage } from '../protocol/output.ts'
import { MAX_PAGE_ITEMS } from '../protocol/request-params.ts'
import type { RuleTest, RuleTestBody } from '../protocol/rule-test.ts'
import type { SessionChangesPage } from '../protocol/session-changes.ts'
import type { SessionModePage, SetSessionMode } from '../protocol/session-mode.ts'
import type { ShellInfo } from '../protocol/shells.ts'
import { steadyNow } from '../steady-time.ts'
import type { OutputPageQuery } from '../tool/background-tasks.ts'
import { type ActiveCall, type Caller, joinResultJson, serializePublished } from './active-call.ts'
import { checkFreshness, getCallPreview } from './approvals/call-preview.ts'
import {
  type ApprovalDecision,
  alreadyDecidedError,
  approveCall,
  cancelCall,
  expireOverdue,
  identifyDecider,
  isOverdue,
  isWithoutHub,
  type RejectionDecision,
  rejectCall,
  rejectWithoutHub,
  withDecisionLock
} from './approvals/decide.ts'
import { explainCall } from './approvals/explain.ts'
import type { HubRulesInForce } from './approvals/hub-rules.ts'
import { withLimitedPreview } from './approvals/preview-limits.ts'
import { type TestedRules, testRules } from './approvals/rule-test.ts'
import { isRuleFor, type SavedRuleInput, type SavedRules } from './approvals/saved-rules.ts'
import { keyOf, type NamedSession, type NewSessionMode } from './approvals/session-modes.ts'
import { findRequestLocks, runInPathOrder } from './batch-order.ts'
import { restrictedOwner, restrictedShare } from './call-owners.ts'
import { type DryRunResult, dryRun, judgeRequest } from './dry-run.ts'
import { type Engine, getCallScope, type ServedWorkspace } from './engine.ts'
import { notRunningError, sendToBackground } from './jobs/background.ts'
import { fillPage, type ListPageQuery, type Page, takePage } from './list-page.ts'
import { toListedCall, toListedJson } from './listed-calls.ts'
import { OutcomeList } from './listed-outcomes.ts'
import {
  type MessageOutcome,
  type MessageRun,
  type MessageScope,
  type ModelMessage,
  resolveScope,
  runMessageCalls
} from './message-calls.ts'
import { readCallOutput } from './output/call-output.ts'
import { prepareRules } from './policy/rules.ts'
import { purgeCall, removeExpiredContent } from './purge.ts'
import { recoverCalls } from './recover.ts'
import { redactCall, toolCallEvent } from './redacted-call.ts'
import { readSessionChanges, type SessionQuery } from './session-changes/session-changes.ts'
import type { ShellScope } from './shells.ts'
import { placeInBatch, resolveWorkspace, type SubmitOptions, type SubmitRequest, submitCall } from './submit.ts'
import { prepareUndo, previewUndo, toUndoPage, type UndoOptions } from './undo.ts'

/** The known state of a call, ready to be sent. */
export interface SerializedCall {
  call: Call
  json: string
}

interface WaitOptions {
  ms: number
  /** Continue to wait while the call needs a decision. */
  throughApproval: boolean
  signal?: AbortSignal | undefined
}

/** The outcome of one call of a batch, or of one of several decisions. */
export type BatchItemOutcome = SerializedCall | { error: unknown } | { skipped: true }

/** A page of a list of calls, each as JSON. */
interface ListPage {
  calls: string[]
  cursor: string | null
}

const EXPIRY_CHECK_MS = 1_000
const DEFAULT_CANCEL_REASON = 'Cancelled by a person at the hub.'

export class Calls {
  readonly #engine: Engine
  readonly #expiryTimer: NodeJS.Timeout

  private constructor(engine: Engine) {
    this.#engine = engine
    this.#expiryTimer = setInterval(() => this.#endExpired(), EXPIRY_CHECK_MS)
    this.#expiryTimer.unref()
  }

  /**
   * Recovers the calls of the previous run, then accepts calls. `changes` are those that calls made but could no longer report.
   */
  static async start(engine: Engine, changes: ReadonlyMap<string, readonly Change[]> = new Map()): Promise<Calls> {
    const { administrator, user, workspace } = engine.settings.tiers
    await prepareRules([...administrator, ...user, ...workspace, ...engine.rules.list()])
    await recoverCalls(engine, changes)
    await removeExpiredContent(engine)
    return new Calls(engine)
  }

  /** Submits a request and waits as specified. The answer may be that of an earlier call if the request was seen before. */
  async submit(
    request: SubmitRequest,
    caller: Caller,
    options: SubmitOptions & { wait: WaitOptions }
  ): Promise<SerializedCall> {
    const live = await submitCall(this.#engine, request, caller, options)
    if ('settled' in live) return this.#getStored(live.settled)
    return this.#waitAndSerialize(live, live.publishedCall.background ? { ...options.wait, ms: 0 } : options.wait)
  }

  /** Submits a request and returns immediately which call it created and from which event on to follow it. */
  async submitForStream(
    request: SubmitRequest,
    caller: Caller,
    options: SubmitOptions
  ): Promise<{ tool_call_id: string; after: number }> {
    const live = await submitCall(this.#engine, request, caller, options)
    if ('settled' in live) return { tool_call_id: live.settled, after: 0 }
    // Events that were in flight at admission may be published later than the call itself.
    return { tool_call_id: live.call.tool_call_id, after: Math.min(live.sinceSeq, this.#engine.journal.head) }
  }

  dryRun(request: SubmitRequest, caller: Caller): Promise<DryRunResult> {
    return this.#evaluate(caller, () => dryRun(this.#engine, request, caller))
  }

  /** Returns the verdict on a request, or throws what would make its call fail before it is decided. */
  judge(request: SubmitRequest, caller: Caller) {
    return judgeRequest(this.#engine, request, caller)
  }

  /** Throws if the disks have no room for the uploads of a caller. */
  assertRoomForUploads(caller: Caller, uploads: { received: number; coming: number }) {
    this.#engine.store.assertRoom()
    this.#engine.storage.assertRoom(restrictedShare(caller), uploads)
  }

  /** Explains the policy's verdict on a call. */
  explain(request: SubmitRequest, caller: Caller): Promise<Explanation> {
    return this.#evaluate(caller, () => explainCall(this.#engine, request, caller))
  }

  /** Counts an evaluation in the caller's share. */
  #evaluate<T>(caller: Caller, evaluate: () => Promise<T>): Promise<T> {
    return this.#engine.quotas.runEvaluation(restrictedShare(caller), evaluate)
  }

  /**
   * Runs several requests in parallel, except that those on the same path run in order; with `stopOnError`, sequentially and none
   * after a failure. The outcomes are in the order of the requests. A batch sent again with the same idempotency key gives the
   * calls it created then; with other requests it throws CONFLICT.
   */
  async batch(
    requests: SubmitRequest[],
    caller: Caller,
    options: { stopOnError: boolean; wait: WaitOptions; idempotency_key?: string | undefined }
  ): Promise<BatchItemOutcome[]> {
    const { wait, idempotency_key } = options
    const positions =
      idempotency_key === undefined ? [] : placeInBatch(this.#engine, requests, { caller, idempotency_key })
    const outcomeList = new OutcomeList()
    const one = (request: SubmitRequest, index: number) =>
      this.submit(request, caller, { wait, idempotency_key, batch: positions[index] }).then(
        call => outcomeList.add(call),
        (error: unknown) => ({ error })
      )
    if (!options.stopOnError) {
      const locks = await Promise.all(requests.map(request => findRequestLocks(this.#engine, request, caller)))
      return runInPathOrder(locks, index => one(requests[index]!, index))
    }
    const outcomes: BatchItemOutcome[] = []
    for (const [index, request] of requests.entries()) {
      const last = outcomes.at(-1)
      outcomes.push(last && !isSuccess(last) ? { skipped: true } : await one(request, index))
    }
    return outcomes
  }

  /** Returns the scope of a message with what it leaves out. Throws if no call could have it. */
  resolveScope(scope: MessageScope, caller: Caller): MessageScope {
    return resolveScope(this.#engine, scope, caller)
  }

  /**
   * Runs the calls of one message of a model and waits for all of them, through decisions, for at most `ms` milliseconds. Sent again, the
   * message is answered from the calls that it has created. `onCall` receives the id of each call before its first event.
   */
  async runMessage(
    message: ModelMessage,
    caller: Caller,
    { ms, signal, onCall }: { ms: number; signal: AbortSignal } & Pick<MessageRun<SerializedCall>, 'onCall'>
  ): Promise<MessageOutcome<SerializedCall>[]> {
    const outcomeList = new OutcomeList()
    const waitFor = async (tool_call_id: string, ms: number) =>
      outcomeList.add(await this.get(tool_call_id, { ms, throughApproval: true, signal }))
    return runMessageCalls(this.#engine, message, caller, { ms, waitFor, onCall })
  }

  /** Returns the name of the workspace that such a request refers to, or undefined if the request would have to name one. */
  resolveWorkspaceName(name: string | undefined): string | undefined {
    const { workspaces } = this.#engine
    if (name === undefined && workspaces.size > 1 && !workspaces.has('default')) return undefined
    return resolveWorkspace(this.#engine, name).name
  }

  /** Returns the call, after waiting as specified. */
  async get(tool_call_id: string, wait: WaitOptions): Promise<SerializedCall> {
    const live = this.#engine.activeCalls.get(tool_call_id)
    return live ? this.#waitAndSerialize(live, wait) : this.#getStored(tool_call_id)
  }

  /** Checks if a caller may see a call or its job. */
  canSee(tool_call_id: string, caller: Pick<Caller, 'rights' | 'token'>): boolean {
    return this.#engine.owners.canSee(restrictedOwner(caller), tool_call_id)
  }

  /** Throws NOT_FOUND, as for an unknown call, if the call is not the caller's and the caller may not approve. */
  assertVisible(tool_call_id: string, caller: Caller) {
    this.#engine.owners.assertCanSee(caller, tool_call_id)
  }

  /**
   * Lists the log as JSON texts, newest first, without calls that the caller may not see; `cursor` leads to the next page.
   */
  async list(
    { cursor, id_prefix, ...query }: AllowUndefined<LogQuery>,
    caller: Caller
  ): Promise<{ calls: string[]; cursor: string | null }> {
    // A read may have been answered before its commit; flush so that the log includes it.
    await this.#engine.store.flushed().catch(() => {})
    const before = cursor === undefined ? undefined : parseCursor(cursor)
    const times = { since: query.since && toUtc(query.since), until: query.until && toUtc(query.until) }
    const owner = restrictedOwner(caller)
    const { calls, next } = await this.#engine.store.calls({ ...query, ...times, id_prefix, before, owner })
    const page = fillPage(calls, query.limit, ({ head, result }) => toListedJson(joinResultJson(head, result)))
    const after = page.length < calls.length ? calls[page.length - 1]!.n : next
    return { calls: page, cursor: after === undefined ? null : String(after) }
  }

  /**
   * Lists a page of the calls that wait for a decision, oldest first; with an owner, only that token's. `cursor` leads to the next page.
   */
  listPending(
    { cursor, limit = MAX_PAGE_ITEMS }: ListPageQuery,
    owner: string | undefined,
    toJson: (call: Call) => string = call => toListedCall(call).json
  ): ListPage {
    const after = cursor === undefined ? 0 : parseCursor(cursor)
    const waiting = this.#findOpen(owner, ({ status }) => status === 'awaiting_approval').filter(
      ({ place }) => place > after
    )
    const calls = fillPage(waiting, limit, live => toJson(live.publishedCall))
    return { calls, cursor: calls.length === waiting.length ? null : String(waiting[calls.length - 1]!.place) }
  }

  /** Lists the first page of the queued and running calls, oldest first; with an owner, only that token's. */
  listRunning(owner: string | undefined): ListPage {
    const open = this.#findOpen(owner, ({ status }) => status === 'queued' || status === 'running')
    const calls = fillPage(open, open.length, live => toListedCall(live.publishedCall).json)
    return { calls, cursor: calls.length === open.length ? null : String(open[calls.length - 1]!.place) }
  }

  /** Returns the open calls as lists show them; undefined if they have more bytes together. */
  snapshotOpen(owner: string | undefined, maxBytes: number): { pending: Call[]; running: Call[] } | undefined {
    let room = maxBytes
    const list = (calls: readonly Call[]) => {
      const listed: Call[] = []
      for (const each of calls) {
        const { call, json } = toListedCall(each)
        room -= Buffer.byteLength(json)
        if (room < 0) break
        listed.push(call)
      }
      return listed
    }
    const open = { pending: list(this.pending(owner)), running: list(this.running(owner)) }
    return room < 0 ? undefined : open
  }

  /** Lists the calls that wait for a decision, oldest first; with an owner, only that token's. */
  pending(owner?: string): CallWithStatus<'awaiting_approval'>[] {
    return this.#listOpen(owner).filter(call => call.status === 'awaiting_approval')
  }

  /** Returns a text that changes whenever other calls wait for a decision, or show something else. */
  waitingKey(): string {
    return this.pending()
      .map(({ tool_call_id, approval }) => `${tool_call_id} ${approval.digest}`)
      .join('\n')
  }

  /** Yields the calls that wait for a decision as their events show them, oldest first. */
  *listWaiting(): Generator<{ tool_call_id: string; time: string; data: string }> {
    for (const call of this.pending()) {
      const { tool_call_id, created_at: time } = call
      yield { tool_call_id, time, data: JSON.stringify({ time, ...toolCallEvent(this.#engine, call) }) }
    }
  }

  /** Lists the queued and running calls, oldest first; with an owner, only that token's. */
  running(owner?: string): Call[] {
    return this.#listOpen(owner).filter(({ status }) => status === 'queued' || status === 'running')
  }

  /** Returns the sessions that are not idle; with an owner, only those with open calls of that token. */
  sessionStates(owner: string | undefined) {
    const states = this.#engine.sessions.states()
    if (owner === undefined) return states
    const own = this.#engine.owners.openSessions(owner)
    return Object.fromEntries(Object.entries(states).filter(([session_id]) => own.has(session_id)))
  }

  #listOpen(owner: string | undefined): Call[] {
    return this.#findOpen(owner, () => true).map(({ publishedCall }) => publishedCall)
  }

  #findOpen(owner: string | undefined, isWanted: (call: Call) => boolean): ActiveCall[] {
    return [...this.#engine.activeCalls.values()].filter(
      live => (owner === undefined || live.owner === owner) && isWanted(live.publishedCall)
    )
  }

  async approve(tool_call_id: string, decision: ApprovalDecision, caller: Caller): Promise<SerializedCall> {
    this.#engine.front_ends.markActive(caller.client)
    return this.#serializeRedacted(await approveCall(this.#engine, this.#getUndecided(tool_call_id), decision, caller))
  }

  async reject(tool_call_id: string, decision: RejectionDecision, caller: Caller): Promise<SerializedCall> {
    this.#engine.front_ends.markActive(caller.client)
    return this.#serializeRedacted(await rejectCall(this.#engine, this.#getUndecided(tool_call_id), decision, caller))
  }

  /** Previews what a waiting call would make of files; with a digest, only if it still matches. */
  async getPreview(tool_call_id: string, digest: string | undefined): Promise<CallPreview> {
    return getCallPreview(this.#engine, this.#getUndecided(tool_call_id), digest)
  }

  /** Checks if a waiting call would still do what was shown. */
  async checkFreshness(tool_call_id: string): Promise<PreviewFreshness> {
    return checkFreshness(this.#engine, this.#getUndecided(tool_call_id))
  }

  /** Cancels a call and its jobs; one that has ended does not change. */
  async cancel(tool_call_id: string, reason: string | undefined): Promise<SerializedCall> {
    const live = this.#engine.activeCalls.get(tool_call_id)
    if (live) await cancelCall(this.#engine, live, reason)
    else this.#getStored(tool_call_id)
    await this.#engine.jobs.stop(tool_call_id, reason ?? 'Cancelled by the client.')
    return live ? { call: live.publishedCall, json: serializePublished(live) } : this.#getStored(tool_call_id)
  }

  /**
   * Cancels a call, or its job, for a person at the hub. Resolves once the journal says so; the call ends afterwards. Throws CONFLICT if
   * nothing of it runs or waits.
   */
  async cancelRemotely(tool_call_id: string, reason: string | undefined, caller: Caller): Promise<void> {
    const { journal, jobs, log } = this.#writable
    const call = this.#getCall(tool_call_id)
    if (isSettled(call) && jobs.get(tool_call_id)?.status !== 'running')
      throw new ToolError('CONFLICT', `The call has already ended: ${call.status}.`)
    const why = reason ?? DEFAULT_CANCEL_REASON
    const by: ApprovedBy = { source: 'user', ...identifyDecider(caller), at: new Date().toISOString() }
    await journal.append([{ type: 'tool.cancel', ...getCallScope(call), by, reason: why }])
    this.cancel(tool_call_id, why).catch(error => log.error({ err: error, tool_call_id }, 'failed to cancel a call'))
  }

  /** Returns the engine, for a change that is stored. Throws DISK_FULL if nothing can be stored at the moment. */
  get #writable(): Engine {
    this.#engine.store.room.assertWritable()
    return this.#engine
  }

  /** Removes the content of a call that has ended. Returns what remains of it. */
  async purge(tool_call_id: string, { client, token }: Caller): Promise<SerializedCall> {
    await purgeCall(this.#writable, tool_call_id, { client, ...(token && { token }) })
    return this.#getStored(tool_call_id)
  }

  /** Removes the content of calls that used a sensitive file, once their time is over. */
  removeExpiredContent(): Promise<void> {
    return removeExpiredContent(this.#engine)
  }

  /** Moves a running call to the background and returns its state after that. */
  async moveToBackground(tool_call_id: string): Promise<SerializedCall> {
    const live = this.#engine.activeCalls.get(tool_call_id)
    if (!live) throw notRunningError(this.#getStored(tool_call_id).call)
    await sendToBackground(this.#engine, live)
    return { call: live.publishedCall, json: serializePublished(live) }
  }

  /** Previews undoing a call now, with a page of its files. */
  async previewUndo(tool_call_id: string, { cursor, limit, ...query }: UndoOptions & ListPageQuery, caller: Caller) {
    const preview = () => previewUndo(this.#engine, this.#getCallWithResult(tool_call_id), query, caller)
    return toUndoPage(await this.#evaluate(caller, preview), { cursor, limit })
  }

  /** Returns a page of the changes that the calls of a session made to files. */
  sessionChanges(query: SessionQuery, caller: Caller): Promise<SessionChangesPage> {
    return this.#evaluate(caller, () => readSessionChanges(this.#engine, query, caller))
  }

  /** Submits the undo of a call. With a digest in `shown`, an approver has thereby approved what was shown. */
  async undo(
    tool_call_id: string,
    query: UndoOptions & Partial<SubmitRequest>,
    caller: Caller,
    options: SubmitOptions & { wait: WaitOptions }
  ): Promise<SerializedCall> {
    const { request, planned } = await prepareUndo(this.#engine, this.#getCallWithResult(tool_call_id), {
      ...query,
      caller,
      options
    })
    return this.submit(request, caller, { ...options, planned })
  }

  /** Reads a command's output by byte offset; waits for more if there is none yet. */
  output(tool_call_id: string, query: OutputPageQuery): Promise<OutputPage> {
    return readCallOutput(this.#engine, tool_call_id, query, () => isSettled(this.#getCall(tool_call_id)))
  }

  /** Lists a page of the saved rules, oldest first, without those for sessions of other callers if the caller may not approve. */
  rules(query: ListPageQuery, caller: Caller): Page<SavedRule> {
    const owner = restrictedOwner(caller)
    const isVisible = ({ token_id }: SavedRule) => owner === undefined || token_id === undefined || token_id === owner
    const { rules, budgets } = this.#engine
    const { items, ...rest } = takePage(rules.list().filter(isVisible), ({ rule_id }) => rule_id, query)
    const addSpent = (rule: SavedRule): SavedRule =>
      rule.limit ? { ...rule, spent: budgets.list(rule.rule_id, rule.limit, steadyNow()) } : rule
    return { items: items.map(addSpent), ...rest }
  }

  /** Returns the rules of the hub that are in force. People see them, agents do not. */
  hubRules(caller: Caller): HubRulesInForce | undefined {
    return restrictedOwner(caller) === undefined ? this.#engine.hub.rules.current : undefined
  }

  /** Creates a rule; its workspace is given by name. */
  async addRule(rule: SavedRuleInput, { client }: Caller): Promise<SavedRule> {
    return this.#writable.rules.add(this.#resolveRule(rule), client)
  }

  /** Returns the rule with the root folder of its workspace. */
  #resolveRule({ workspace, ...rule }: SavedRuleInput): SavedRuleInput {
    const served = this.#findWorkspace(workspace)
    if (rule.scope !== 'user' && !served)
      throw invalidFieldError('/workspace', 'must be the name of a workspace that the server serves')
    if (rule.scope === 'session' && rule.session_id === undefined)
      throw invalidFieldError('/session_id', 'is required with scope session')
    return { ...rule, workspace: served?.root }
  }

  /** Evaluates past calls with a rule added or revoked, or in another mode, and compares the decisions with those of the rules as they are. */
  async testRules(request: RuleTestBody, { client }: Caller, signal: AbortSignal): Promise<RuleTest> {
    return testRules(this.#engine, request, await this.#applyChange(request, client), signal)
  }

  async #applyChange({ rule, rules: several, revoke, mode }: RuleTestBody, client: string): Promise<TestedRules> {
    const { settings, rules, modes, hub } = this.#engine
    if ([rule, several, revoke, mode].filter(each => each !== undefined).length !== 1)
      throw invalidFieldError('/rule', 'is required: send exactly one of rule, rules, revoke and mode')
    if (mode !== undefined) return { settings, rules, hub, modes: { find: () => ({ mode }) } }
    if (revoke !== undefined) {
      rules.get(revoke)
      const inForce = (...where: Parameters<SavedRules['inForce']>) =>
        rules.inForce(...where).filter(({ rule_id }) => rule_id !== revoke)
      return { settings, rules: { inForce }, modes, hub }
    }
    const added = several
      ? await this.#prepareTestedRules(several, client).catch(nestError('/rules'))
      : await this.#prepareTestedRules([rule!], client).catch(nestError('/rule'))
    const inForce = (...where: Parameters<SavedRules['inForce']>) => [
      ...rules.inForce(...where),
      ...added.filter(each => isRuleFor(each, ...where))
    ]
    return { settings, rules: { inForce }, modes, hub }
  }

  async #prepareTestedRules(rules: readonly SavedRuleInput[], client: string): Promise<SavedRule[]> {
    const resolved = rules.map(rule => this.#resolveRule(rule))
    return (await this.#engine.rules.prepare(resolved, client)).rules
  }

  async revokeRule(rule_id: string): Promise<SavedRule> {
    return this.#writable.rules.revoke(rule_id)
  }

  /**
   * Lists a page of the modes of sessions, in the order in which they were set, those of other callers left out if the caller may not
   * approve, and the configured mode.
   */
  modes(query: ListPageQuery, caller: Caller): SessionModePage {
    const owner = restrictedOwner(caller)
    const { settings, modes } = this.#engine
    const visible = modes.list().filter(({ token_id }) => owner === undefined || token_id === owner)
    const { items, ...rest } = takePage(visible, set => `${set.set_at} ${keyOf(set)}`, query)
    return { default: settings.approval.mode, modes: items, ...rest }
  }

  /** Sets the mode of a session. Throws INVALID_PARAMS if the token whose session it is must be named. */
  async setMode({ mode, expires_at = null, ...session }: NewSessionMode, caller: Caller): Promise<SetSessionMode> {
    const set_by = caller.token?.name ?? caller.client
    const set_at = new Date().toISOString()
    return this.#writable.modes.set({ ...this.#findSession(session), mode, expires_at, set_at, set_by })
  }

  /** Returns a session to the configured mode. */
  async clearMode(session: NamedSession, caller: Caller): Promise<SessionModePage> {
    await this.#writable.modes.clear(this.#findSession(session))
    return this.modes({}, caller)
  }

  /** Lists the named shells of a session: those of the caller's token, or of all that have used it if the caller may approve. */
  shells(session: NamedSession, caller: Caller): ShellInfo[] {
    return this.#findShellScopes(session, caller).flatMap(scope => this.#engine.shells.list(scope))
  }

  /**
   * Resets a named shell; without a token, that of a person comes first. Throws NOT_FOUND if there is no shell of that name,
   * INVALID_PARAMS if the token must be named.
   */
  async resetShell(session: NamedSession, name: string, caller: Caller): Promise<void> {
    const { shells } = this.#writable
    const scopes = this.#findShellScopes(session, caller)
    const [scope, ...others] = scopes.filter(one => shells.list(one).some(shell => shell.name === name))
    if (!scope) throw new ToolError('NOT_FOUND', `The session has no shell with the name ${name}.`)
    if (scope.owner !== undefined && others.length > 0)
      throw invalidFieldError(
        '/token_id',
        `is required, because several tokens have a shell with this name: ${[scope, ...others].map(({ owner }) => owner).join(', ')}`
      )
    await shells.reset(scope, name)
  }

  #findShellScopes({ session_id, workspace, token_id }: NamedSession, caller: Caller): ShellScope[] {
    const { name } = resolveWorkspace(this.#engine, workspace)
    const named = restrictedOwner(caller) ?? token_id
    const owners = named === undefined ? this.#engine.owners.findSessionOwners(name, session_id) : [named]
    const scopes = owners.flatMap(owner => (owner === null ? [] : [{ workspace: name, session_id, owner }]))
    return named === undefined ? [{ workspace: name, session_id, owner: undefined }, ...scopes] : scopes
  }

  /** Finds the token whose session it is, by the calls that it has made. */
  #findSession({ session_id, workspace, token_id }: NamedSession) {
    const { name } = resolveWorkspace(this.#engine, workspace)
    const known = token_id === undefined ? this.#engine.owners.findSessionOwners(name, session_id) : [token_id]
    if (known.length === 0)
      throw invalidFieldError(
        '/token_id',
        "is required, because the session has no calls yet. The server's own call-only token is server:call"
      )
    // Where an agent shares a session with a person, the agent's calls are meant.
    const [owner, ...others] = known.filter(one => one !== null)
    if (others.length > 0)
      throw invalidFieldError(
        '/token_id',
        `is required, because several tokens use the session: ${[owner, ...others].join(', ')}`
      )
    return { session_id, workspace: name, ...(owner !== undefined && { token_id: owner }) }
  }

  /** Stops accepting calls; those in flight may still end. */
  drain() {
    this.#engine.closed = 'draining'
  }

  /**
   * Waits `drain_ms` for running calls to end, then ends the rest as interrupted. Waiting approvals remain, and so do calls that
   * a person approved and that were not started: the next start queues them again.
   */
  async close(drain_ms: number): Promise<void> {
    this.drain()
    clearInterval(this.#expiryTimer)
    const running = () =>
      [...this.#engine.activeCalls.values()].filter(({ call }) => call.status === 'running' || call.status === 'queued')
    await Promise.all(running().map(live => live.wait({ ms: drain_ms, throughApproval: true })))
    const ends = running().map(live => live.wait({ ms: 5_000, throughApproval: true }))
    for (const live of running()) {
      live.stopping ??= 'interrupted'
      live.abort.abort(new ToolError('CANCELLED', 'The server has stopped.'))
    }
    await Promise.all(ends)
    await this.#engine.jobs.close()
  }

  /** Returns the workspace of that name; without a name, the only one or the default. */
  #findWorkspace(name: string | undefined): ServedWorkspace | undefined {
    const { workspaces } = this.#engine
    return name === undefined && workspaces.size === 1 ? [...workspaces.values()][0] : workspaces.get(name ?? 'default')
  }

  async #waitAndSerialize(live: ActiveCall, { ms, throughApproval, signal }: WaitOptions): Promise<SerializedCall> {
    const call = await live.wait({ ms, throughApproval, signal })
    return { call, json: serializePublished(live) }
  }

  #serializeRedacted(call: Call): SerializedCall {
    const redacted = redactCall(this.#engine, call)
    return { call: redacted, json: JSON.stringify(redacted) }
  }

  #getCall(tool_call_id: string): Call {
    return this.#engine.activeCalls.get(tool_call_id)?.publishedCall ?? this.#getStored(tool_call_id).call
  }

  #getCallWithResult(tool_call_id: string): Call {
    const live = this.#engine.activeCalls.get(tool_call_id)
    return live?.publishedCall ?? (JSON.parse(this.#getStored(tool_call_id).json) as Call)
  }

  #getStored(tool_call_id: string): SerializedCall {
    const row = this.#engine.store.call(tool_call_id)
    if (!row) throw new ToolError('NOT_FOUND', `There is no call ${tool_call_id}.`)
    const stored = JSON.parse(row.head) as Call
    const call = withLimitedPreview(stored)
    return { call, json: joinResultJson(call === stored ? row.head : JSON.stringify(call), row.result) }
  }

  #getUndecided(tool_call_id: string): ActiveCall {
    const live = this.#engine.activeCalls.get(tool_call_id)
    if (live) return live
    throw alreadyDecidedError(this.#getStored(tool_call_id).call)
  }

  /** Ends what has expired, so that its end is an event at once. */
  #endExpired() {
    this.#engine.rules.list()
    this.#engine.modes.list()
    for (const live of this.#engine.activeCalls.values()) {
      if (isOverdue(live.call)) withDecisionLock(live, () => expireOverdue(this.#engine, live)).catch(() => {})
      if (isWithoutHub(this.#engine, live.call))
        withDecisionLock(live, () => rejectWithoutHub(this.#engine, live)).catch(() => {})
    }
  }
}

const isSuccess = (outcome: BatchItemOutcome) => 'call' in outcome && outcome.call.status === 'success'

/** Formats a time as the store does, so that strings sort chronologically. */
const toUtc = (time: string) => new Date(time).toISOString()

/** Returns a function that throws an error of a part of the request as one of the request: its fields are named by their place. */
const nestError =
  (root: string) =>
  (error: unknown): never => {
    if (!(error instanceof ToolError) || !Array.isArray(error.details?.errors)) throw error
    const errors = error.details.errors.map(each => ({ ...each, pointer: root + each.pointer }))
    throw new ToolError(error.code, error.message, { ...error.details, errors })
  }

function parseCursor(cursor: string) {
  const n = Number(cursor)
  if (Number.isSafeInteger(n) && n >= 0) return n
  throw new ToolError('INVALID_PARAMS', 'The cursor is invalid. Start again from the first page.', {
    errors: [{ pointer: '/cursor', message: 'must be the cursor that an earlier page returned' }]
  })
}
