// Client for programs in Node and in browsers: it requires only `fetch`.

import type { AllowUndefined } from '../protocol/allow-undefined.ts'
import type { Call } from '../protocol/calls.ts'
import type { SavedRule } from '../protocol/decisions.ts'
import type { Event } from '../protocol/events.ts'
import type { StatePage } from '../protocol/server.ts'
import type { ToolCallFormat } from '../protocol/tool-calls.ts'
import type {
  AnsweredDelegation,
  ApproveRequest,
  BatchOutcome,
  BufferInfo,
  BufferLease,
  BufferUpdate,
  CallPreview,
  CallRequest,
  DecisionOutcome,
  Delegation,
  DelegationAnswer,
  DryRun,
  Explanation,
  FrontEndIdentity,
  Health,
  IssuedToken,
  Job,
  JobInput,
  JobQuery,
  ListedTool,
  LogFilter,
  McpLogin,
  McpServerState,
  NewlyIssuedToken,
  NewMode,
  NewPushSubscription,
  NewRule,
  NewToken,
  NotificationState,
  NotificationTestOutcome,
  OneTimeCode,
  OutputPage,
  OutputRange,
  PortLink,
  PreviewFreshness,
  PushSubscriptionInfo,
  RejectRequest,
  Right,
  RuleTest,
  RuleTestRequest,
  SessionChangesPage,
  SessionChangesQuery,
  SessionModeList,
  SessionScope,
  SetSessionMode,
  ShellInfo,
  ShownCall,
  State,
  Stats,
  ToolsQuery,
  UndoPreview,
  UndoQuery,
  UndoRequest
} from './api-types.ts'
import type { EffectHandlers, FrontEndOptions } from './delegation-handling.ts'
import { type EventsOptions, followEvents, readEventFrames } from './events.ts'
import { FrontEnd } from './front-end.ts'
import { type ConnectOptions, HttpTransport, type ServerConnection } from './http-transport.ts'
import { runToolCalls, type ToolCallsOptions, type ToolMessagesOf } from './tool-calls.ts'
import type { ToolData, ToolParams } from './tool-types.ts'
import type { DownloadOptions, UploadContent, UploadOptions } from './transfers.ts'

export type { Approval, Call, PreviewSection } from '../protocol/calls.ts'
export type { SavedRule } from '../protocol/decisions.ts'
export type { Event, EventType } from '../protocol/events.ts'
export type { Problem } from '../protocol/problem.ts'
export type * from './api-types.ts'
export type { EffectHandlers, FrontEndOptions } from './delegation-handling.ts'
export { describeDecider } from './describe-decider.ts'
export { ToolgateError, type ToolgateErrorCode } from './error.ts'
export type { EventsOptions } from './events.ts'
export type { FrontEnd } from './front-end.ts'
export type { ConnectOptions, Fetch, FetchResponse, ServerConnection } from './http-transport.ts'
export type { ToolCallsOptions, ToolMessagesOf } from './tool-calls.ts'
export type { ToolData, ToolParams } from './tool-types.ts'
export type { DownloadOptions, UploadContent, UploadOptions } from './transfers.ts'

/** Options that distinguish sessions with the same id. */
type SessionOptions = AllowUndefined<Omit<SessionScope, 'session_id'>>

/** Options of one request. */
export interface RequestOptions {
  signal?: AbortSignal | undefined
}

export interface CallOptions extends RequestOptions, Omit<CallRequest, 'tool' | 'params'> {
  /** Maximum delay of the response in milliseconds, also through the approval. Default: until the call has ended or needs one. */
  wait_ms?: number
  /** Handling of the call if this connection ends before the response; by default it continues. */
  on_disconnect?: 'continue' | 'cancel'
  /** A repeated request with the same key returns the same call. */
  idempotency_key?: string
  /** Return no cached result. */
  fresh?: boolean
}

export interface BatchOptions extends RequestOptions {
  /** Run one after the other, and none after a failure. */
  stop_on_error?: boolean
  /** Maximum delay of the response in milliseconds, also through approvals. */
  wait_ms?: number
  /** A repeated batch with the same key returns the same calls. */
  idempotency_key?: string
}

type ModifiedScope = 'session_id' | 'workspace' | 'agent' | 'executor'

/** Creates a client of the server at `url`. Sends nothing before the first method is called. */
export const connect = (options: ConnectOptions): Client => new Client(new HttpTransport(options))

/** Names of the built-in tools. */
export type ToolName = keyof ToolParams
/** Params of a tool: typed if its name is that of a built-in tool. */
export type ParamsOf<T extends string> = string extends T
  ? Record<string, unknown>
  : T extends ToolName
    ? ToolParams[T]
    : Record<string, unknown>
/** A call with the result data of its tool. */
export type CallOf<T extends string> = string extends T ? Call : T extends ToolName ? WithData<Call, ToolData[T]> : Call
type WithData<C, D> = C extends { result: infer R } ? Omit<C, 'result'> & { result: Omit<R, 'data'> & { data: D } } : C
/** Options of a call; names of a toolset are not typed. */
type OptionsOf<T extends string> = string extends T ? CallOptions : Omit<CallOptions, 'toolset'>

type WaitingCall = Extract<Call, { status: 'awaiting_approval' }>

export class Client {
  readonly #transport: HttpTransport

  constructor(wire: HttpTransport) {
    this.#transport = wire
  }

  /** Returns the last known address of the server. */
  get connection(): ServerConnection {
    return this.#transport.connection
  }

  /**
   * Submits a call. The returned call may be waiting for a decision or running: check its `status`. Params and `result.data` are
   * typed for the built-in tools; those of other tools, and of a toolset, are not.
   */
  call(tool: string, params: Record<string, unknown>, options: CallOptions & { toolset: string }): Promise<Call>
  call<T extends string>(tool: T, params: ParamsOf<T>, options?: OptionsOf<T>): Promise<CallOf<T>>
  call(tool: string, params: object, options: CallOptions = {}): Promise<Call> {
    const { body, query, headers, signal } = toRequestParts(tool, params, options)
    return this.#transport.json('POST', '/calls', { body, query, headers, signal })
  }

  /** Submits a call and yields its events as they arrive; ends with its `tool.result`. */
  async *stream(tool: string, params: Record<string, unknown>, options: CallOptions = {}): AsyncGenerator<Event> {
    const { body, query, headers, signal } = toRequestParts(tool, params, options)
    const { on_disconnect } = query
    const response = await this.#transport.stream('POST', '/calls', { body, query: { on_disconnect }, headers, signal })
    for await (const { event } of readEventFrames(response)) yield event
  }

  /** Simulates the call without executing it. */
  dryRun(tool: string, params: Record<string, unknown>, options: CallOptions = {}): Promise<DryRun> {
    const { body, signal } = toRequestParts(tool, params, options)
    return this.#transport.json('POST', '/calls', { body: { ...body, dry_run: true }, signal })
  }

  /** Previews a waiting call with modified params. To approve exactly that, send its digest as `modified_digest`. */
  dryRunModified(
    { tool, session_id, workspace, agent, executor }: Pick<Call, 'tool' | ModifiedScope>,
    params: Record<string, unknown>,
    options: RequestOptions = {}
  ): Promise<DryRun> {
    const scope = { session_id, workspace, ...(agent !== undefined && { agent }), ...(executor && { executor }) }
    return this.dryRun(tool, params, { ...scope, ...options })
  }

  /** Explains the policy's verdict on the call without executing it. */
  explain(tool: string, params: Record<string, unknown>, options: CallOptions = {}): Promise<Explanation> {
    const { body, signal } = toRequestParts(tool, params, options)
    return this.#transport.json('POST', '/policy/explain', { body, signal })
  }

  batch(
    calls: CallRequest[],
    { stop_on_error, wait_ms, idempotency_key, signal }: BatchOptions = {}
  ): Promise<{ results: BatchOutcome[] }> {
    const headers = { 'idempotency-key': idempotency_key }
    const body = { calls, stop_on_error }
    return this.#transport.json('POST', '/calls/batch', { body, query: { wait_ms }, headers, signal })
  }

  /** Lists the log, newest first; `cursor` leads to the next page. */
  calls(query: LogFilter & RequestOptions = {}): Promise<{ calls: Call[]; cursor: string | null }> {
    const { signal, ...filter } = query
    return this.#transport.json('GET', '/calls', { query: filter, signal })
  }

  get(tool_call_id: string, { wait_ms, signal }: RequestOptions & { wait_ms?: number } = {}): Promise<Call> {
    return this.#transport.json('GET', `/calls/${encodeURIComponent(tool_call_id)}`, { query: { wait_ms }, signal })
  }

  /** Removes the content of an ended call: params, result, previews, output and what undo needs. Returns what remains. */
  purge(tool_call_id: string, { signal }: RequestOptions = {}): Promise<Call> {
    return this.#transport.json('POST', `/calls/${encodeURIComponent(tool_call_id)}/purge`, { body: {}, signal })
  }

  cancel(tool_call_id: string, { reason, signal }: RequestOptions & { reason?: string } = {}): Promise<Call> {
    return this.#transport.json('POST', `/calls/${encodeURIComponent(tool_call_id)}/cancel`, {
      body: { reason },
      signal
    })
  }

  /** Moves a running call to the background: a command settles and leaves a job, any other call continues. */
  background(tool_call_id: string, { signal }: RequestOptions = {}): Promise<Call> {
    return this.#transport.json('POST', `/calls/${encodeURIComponent(tool_call_id)}/background`, { signal })
  }

  /** Lists background jobs, running or ended, newest first. */
  async jobs({ signal, ...query }: JobQuery & RequestOptions = {}): Promise<Job[]> {
    return (await this.#transport.json<{ jobs: Job[] }>('GET', '/jobs', { query, signal })).jobs
  }

  job(task_id: string, { signal }: RequestOptions = {}): Promise<Job> {
    return this.#transport.json('GET', `/jobs/${encodeURIComponent(task_id)}`, { signal })
  }

  /** Writes to a running job's input, closes it, or resizes its terminal. */
  sendInput(task_id: string, { signal, ...body }: JobInput & RequestOptions): Promise<Job> {
    return this.#transport.json('POST', `/calls/${encodeURIComponent(task_id)}/input`, { body, signal })
  }

  /** Makes a link that opens a port of a running job in a browser, once and within a minute. */
  openPort(task_id: string, port: number, { signal }: RequestOptions = {}): Promise<PortLink> {
    return this.#transport.json('POST', `/jobs/${encodeURIComponent(task_id)}/ports/${port}/link`, { signal })
  }

  /** Reads a command's output from a byte offset on. */
  output(tool_call_id: string, query: OutputRange & RequestOptions = {}): Promise<OutputPage> {
    const { signal, ...range } = query
    return this.#transport.json('GET', `/calls/${encodeURIComponent(tool_call_id)}/output`, { query: range, signal })
  }

  /** Lists the calls that wait for a decision, oldest first. */
  async approvals({ signal }: RequestOptions = {}): Promise<WaitingCall[]> {
    return this.#approvalsAfter(undefined, signal)
  }

  async #approvalsAfter(cursor: string | undefined, signal: AbortSignal | undefined): Promise<WaitingCall[]> {
    const list: { approvals: WaitingCall[] } = await this.#readPages('/approvals', 'approvals', { cursor, signal })
    return list.approvals
  }

  /** Reads all pages of a list from the cursor of the query on. Returns the first page with the items of all. */
  async #readPages<P extends Record<N, unknown[]>, N extends string>(
    path: string,
    list: N,
    { signal, ...query }: RequestOptions & { cursor?: string | undefined }
  ): Promise<P> {
    const page = await this.#transport.json<P & { cursor?: string }>('GET', path, { query, signal })
    const { cursor, ...rest } = page
    if (cursor === undefined) return page
    const next = await this.#readPages<P, N>(path, list, { ...query, cursor, signal })
    return { ...next, ...rest, [list]: [...page[list], ...next[list]] }
  }

  /** Approves a waiting call if the `digest` of the preview that was shown still matches. */
  approve(
    tool_call_id: string,
    { wait_ms, signal, ...decision }: ApproveRequest & RequestOptions & { wait_ms?: number }
  ): Promise<Call> {
    const path = `/calls/${encodeURIComponent(tool_call_id)}/approve`
    return this.#transport.json('POST', path, { body: decision, query: { wait_ms }, signal })
  }

  /** Approves several waiting calls independently, each if its digest still matches. */
  async approveAll(
    calls: readonly ShownCall[],
    {
      signal,
      ...decision
    }: Pick<ApproveRequest, 'always' | 'always_limits' | 'confirm' | 'reason'> & RequestOptions = {}
  ): Promise<DecisionOutcome[]> {
    const body = { calls, ...decision }
    return (await this.#transport.json<{ results: DecisionOutcome[] }>('POST', '/approve', { body, signal })).results
  }

  /**
   * Requests the bytes of a file, or a range of them. Resolves with the response: 200 or 206 with the bytes as its body, and
   * their sha256 in `ETag`; 202 with the call as JSON if it needs approval. Request it again with that `tool_call_id` then.
   */
  async downloadFile(path: string, options: DownloadOptions = {}): Promise<Response> {
    const { downloadFile } = await import('./transfers.ts')
    return downloadFile(this.#transport, path, options)
  }

  /** Writes bytes to a file. Resolves with the call, which may wait for approval; rejects if it did not succeed. */
  async uploadFile(path: string, bytes: UploadContent, options: UploadOptions = {}): Promise<Call> {
    const { uploadFile } = await import('./transfers.ts')
    return uploadFile(this.#transport, path, bytes, options)
  }

  /** Previews the undo of a call, file by file. */
  previewUndo(tool_call_id: string, query: UndoQuery & RequestOptions = {}): Promise<UndoPreview> {
    return this.#readPages(`/calls/${encodeURIComponent(tool_call_id)}/undo`, 'files', query)
  }

  /** Returns a page of the changes that the calls of a session made to files; `cursor` leads to the next page. */
  sessionChanges(
    session_id: string,
    { signal, ...query }: SessionChangesQuery & RequestOptions = {}
  ): Promise<SessionChangesPage> {
    return this.#transport.json('GET', `/sessions/${encodeURIComponent(session_id)}/changes`, { query, signal })
  }

  /** Undoes a call's file changes; with the shown `digest`, only if it still matches. */
  undo(
    tool_call_id: string,
    {
      wait_ms,
      idempotency_key,
      signal,
      ...body
    }: UndoRequest & Pick<CallOptions, keyof RequestOptions | 'wait_ms' | 'idempotency_key'> = {}
  ): Promise<Call> {
    const headers = { 'idempotency-key': idempotency_key }
    const path = `/calls/${encodeURIComponent(tool_call_id)}/undo`
    return this.#transport.json('POST', path, { body, query: { wait_ms }, headers, signal })
  }

  reject(tool_call_id: string, { signal, ...decision }: RejectRequest & RequestOptions = {}): Promise<Call> {
    return this.#transport.json('POST', `/calls/${encodeURIComponent(tool_call_id)}/reject`, { body: decision, signal })
  }

  /** Rejects several waiting calls independently. */
  async rejectAll(
    tool_call_ids: readonly string[],
    { signal, ...decision }: RejectRequest & RequestOptions = {}
  ): Promise<DecisionOutcome[]> {
    const body = { tool_call_ids, ...decision }
    return (await this.#transport.json<{ results: DecisionOutcome[] }>('POST', '/reject', { body, signal })).results
  }

  async tools({ signal, ...query }: RequestOptions & ToolsQuery = {}): Promise<ListedTool[]> {
    const { tools } = await this.#transport.json<{ tools: ListedTool[] }>('GET', '/tools', { query, signal })
    return tools
  }

  tool(name: string, { signal, ...query }: RequestOptions & ToolsQuery = {}): Promise<ListedTool> {
    return this.#transport.json('GET', `/tools/${encodeURIComponent(name)}`, { query, signal })
  }

  /** Returns the tools in the format of a model's API. Calls may use the listed names. */
  async toolDefinitions<T = Record<string, unknown>>(
    format: ToolCallFormat | 'mcp',
    { signal, ...query }: RequestOptions & { agent?: string; toolset?: string; workspace?: string } = {}
  ): Promise<T[]> {
    const { tools } = await this.#transport.json<{ tools: T[] }>('GET', '/tools', {
      query: { format, ...query },
      signal
    })
    return tools
  }

  /**
   * Runs the tool calls of a model's message, as its API returned it, and returns the messages to append. Waits until all calls have ended,
   * however long decisions take; with `wait_ms`, at most that long: `pending` then names the others. The same message in the same session,
   * sent again after a lost connection or a restart, runs no call twice.
   */
  toolCalls<M = Record<string, unknown>>(
    format: ToolCallFormat,
    message: object,
    options: ToolCallsOptions = {}
  ): Promise<ToolMessagesOf<M>> {
    return runToolCalls(this.#transport, format, message, options)
  }

  async rules(options: RequestOptions = {}): Promise<SavedRule[]> {
    const list: { rules: SavedRule[] } = await this.#readPages('/rules', 'rules', options)
    return list.rules
  }

  addRule(rule: NewRule, { signal }: RequestOptions = {}): Promise<SavedRule> {
    return this.#transport.json('POST', '/rules', { body: rule, signal })
  }

  revokeRule(rule_id: string, { signal }: RequestOptions = {}): Promise<SavedRule> {
    return this.#transport.json('DELETE', `/rules/${encodeURIComponent(rule_id)}`, { signal })
  }

  /** Compares the decisions about past calls with those under a rule that would be added or revoked, or in another mode. */
  testRules(request: RuleTestRequest, { signal }: RequestOptions = {}): Promise<RuleTest> {
    return this.#transport.json('POST', '/rules/test', { body: request, signal })
  }

  /** Returns the modes of sessions that a person has set, and the mode of all others. */
  modes(options: RequestOptions = {}): Promise<SessionModeList> {
    return this.#readPages('/modes', 'modes', options)
  }

  /** Sets the mode of a session: which of its calls run without asking. */
  setMode(session_id: string, mode: NewMode, { signal }: RequestOptions = {}): Promise<SetSessionMode> {
    return this.#transport.json('PUT', `/sessions/${encodeURIComponent(session_id)}/mode`, { body: mode, signal })
  }

  /** Returns a session to the configured mode. */
  async clearMode(
    session_id: string,
    { signal, ...query }: RequestOptions & SessionOptions = {}
  ): Promise<SessionModeList> {
    await this.#transport.json('DELETE', `/sessions/${encodeURIComponent(session_id)}/mode`, { query, signal })
    return this.modes({ signal })
  }

  /** Returns the named shells of a session. */
  async shells(session_id: string, { signal, ...query }: RequestOptions & SessionOptions = {}): Promise<ShellInfo[]> {
    const path = `/sessions/${encodeURIComponent(session_id)}/shells`
    return (await this.#transport.json<{ shells: ShellInfo[] }>('GET', path, { query, signal })).shells
  }

  /** Resets a named shell; returns those that are left. */
  async resetShell(
    session_id: string,
    name: string,
    { signal, ...query }: RequestOptions & SessionOptions = {}
  ): Promise<ShellInfo[]> {
    const path = `/sessions/${encodeURIComponent(session_id)}/shells/${encodeURIComponent(name)}`
    return (await this.#transport.json<{ shells: ShellInfo[] }>('DELETE', path, { query, signal })).shells
  }

  /** Returns the channels that notify people about waiting calls, with their latest outcomes. */
  notifications({ signal }: RequestOptions = {}): Promise<NotificationState> {
    return this.#transport.json('GET', '/notifications', { signal })
  }

  /** Sends a test message by one channel or by all. */
  async testNotifications({
    signal,
    channel
  }: RequestOptions & { channel?: string | undefined } = {}): Promise<NotificationTestOutcome[]> {
    const target = '/notifications/test'
    const body = { channel }
    return (await this.#transport.json<{ results: NotificationTestOutcome[] }>('POST', target, { body, signal }))
      .results
  }

  /** Registers a browser for web push. */
  subscribeToPush(subscription: NewPushSubscription, { signal }: RequestOptions = {}): Promise<PushSubscriptionInfo> {
    return this.#transport.json('POST', '/notifications/subscriptions', { body: subscription, signal })
  }

  /** Removes a browser; returns the channels and the browsers that are left. */
  unsubscribeFromPush(subscription_id: string, { signal }: RequestOptions = {}): Promise<NotificationState> {
    return this.#transport.json('DELETE', `/notifications/subscriptions/${encodeURIComponent(subscription_id)}`, {
      signal
    })
  }

  async mcpServers({ signal }: RequestOptions = {}): Promise<McpServerState[]> {
    return (await this.#transport.json<{ servers: McpServerState[] }>('GET', '/mcp-servers', { signal })).servers
  }

  /** Returns the URL at which a person logs in to a remote MCP server. */
  mcpLogin(
    name: string,
    { signal, workspace }: RequestOptions & { workspace?: string | undefined } = {}
  ): Promise<McpLogin> {
    return this.#transport.json('POST', `/mcp-servers/${encodeURIComponent(name)}/login`, {
      body: { workspace },
      signal
    })
  }

  /** Controls an MCP server; returns its resulting state in each workspace. */
  async controlMcpServer(
    action: 'logout' | 'restart',
    name: string,
    { signal, workspace }: RequestOptions & { workspace?: string | undefined } = {}
  ): Promise<McpServerState[]> {
    const target = `/mcp-servers/${encodeURIComponent(name)}/${action}`
    return (await this.#transport.json<{ servers: McpServerState[] }>('POST', target, { body: { workspace }, signal }))
      .servers
  }

  /**
   * Reports unsaved buffers, each replacing this front end's previous one of the file, and renews its lease on all; an empty list
   * only renews.
   */
  putBuffers(
    buffers: BufferUpdate[],
    { signal, ...who }: FrontEndIdentity & RequestOptions & { lease_ms?: number } = {}
  ): Promise<BufferLease> {
    return this.#transport.json('PUT', '/buffers', { body: { buffers, ...who }, signal })
  }

  /** Drops a saved or closed buffer; without a path, all of this front end. */
  dropBuffers({ signal, ...query }: FrontEndIdentity & RequestOptions & { path?: string } = {}): Promise<BufferLease> {
    return this.#transport.json('DELETE', '/buffers', { query, signal })
  }

  /** Lists unsaved editor buffers, with their texts if `content` is set. */
  async buffers({
    signal,
    ...query
  }: RequestOptions & { workspace?: string; content?: boolean } = {}): Promise<BufferInfo[]> {
    return (await this.#transport.json<{ buffers: BufferInfo[] }>('GET', '/buffers', { query, signal })).buffers
  }

  /** Lists the open delegations, oldest first. */
  async delegations(query: RequestOptions & { client_id?: string } = {}): Promise<Delegation[]> {
    const list: { delegations: Delegation[] } = await this.#readPages('/delegations', 'delegations', query)
    return list.delegations
  }

  /** Returns an open delegation in full, if its event was truncated. */
  delegation(delegation_id: string, { signal }: RequestOptions = {}): Promise<Delegation> {
    return this.#transport.json('GET', `/delegations/${encodeURIComponent(delegation_id)}`, { signal })
  }

  /** Answers a delegation for the addressed front end. The first answer counts. */
  answerDelegation(
    delegation_id: string,
    { signal, ...answer }: DelegationAnswer & RequestOptions
  ): Promise<AnsweredDelegation> {
    return this.#transport.json('POST', `/delegations/${encodeURIComponent(delegation_id)}`, { body: answer, signal })
  }

  /** Returns the file texts of a waiting call's preview, for a diff viewer; with the shown `digest`, only if it still matches. */
  preview(tool_call_id: string, { signal, ...query }: RequestOptions & { digest?: string } = {}): Promise<CallPreview> {
    return this.#transport.json('GET', `/calls/${encodeURIComponent(tool_call_id)}/preview`, { query, signal })
  }

  /**
   * Checks if a waiting call would still do what was shown: then `digest` equals that of its approval. Otherwise `preview` is the
   * current one, or `reason` says why the call would fail now.
   */
  digest(tool_call_id: string, { signal }: RequestOptions = {}): Promise<PreviewFreshness> {
    return this.#transport.json('GET', `/calls/${encodeURIComponent(tool_call_id)}/digest`, { signal })
  }

  /** Creates a code that a page exchanges for a token, once and within a minute. `path` is relative to the server's address. */
  createOneTimeCode({ rights, signal }: RequestOptions & { rights?: readonly Right[] } = {}): Promise<OneTimeCode> {
    return this.#transport.json('POST', '/codes', { body: { rights }, signal })
  }

  /** Exchanges a code for a token. Requires no token. */
  openSession(code: string, { signal }: RequestOptions = {}): Promise<NewlyIssuedToken> {
    return this.#transport.json('POST', '/session', { body: { code }, signal })
  }

  /** Names the person at a console, for the decisions made with its token from now on. */
  nameSession(name: string, { signal }: RequestOptions = {}): Promise<IssuedToken> {
    return this.#transport.json('PATCH', '/session', { body: { name }, signal })
  }

  /** Lists the issued, valid tokens, oldest first. */
  async tokens({ signal }: RequestOptions = {}): Promise<IssuedToken[]> {
    return (await this.#transport.json<{ tokens: IssuedToken[] }>('GET', '/tokens', { signal })).tokens
  }

  /** Issues a token, whose text is shown only once. */
  issueToken(wish: NewToken, { signal }: RequestOptions = {}): Promise<NewlyIssuedToken> {
    return this.#transport.json('POST', '/tokens', { body: wish, signal })
  }

  /** Revokes a token and those made with it, and closes their connections. */
  revokeToken(token_id: string, { signal }: RequestOptions = {}): Promise<IssuedToken> {
    return this.#transport.json('DELETE', `/tokens/${encodeURIComponent(token_id)}`, { signal })
  }

  /** Returns counts, durations and the state of the server. */
  stats({ signal }: RequestOptions = {}): Promise<Stats> {
    return this.#transport.json('GET', '/stats', { signal })
  }

  /** Returns the metrics in Prometheus format. */
  metrics({ signal }: RequestOptions = {}): Promise<string> {
    return this.#transport.text('GET', '/metrics', { signal })
  }

  /** Returns one text of a preview by its `before_href` or `after_href`. */
  previewText(href: string, { signal }: RequestOptions = {}): Promise<string> {
    return this.#transport.text('GET', href, { signal })
  }

  /** Registers a front end: performs the handlers' effects for calls, and reconnects when the connection is lost. */
  registerFrontEnd(handlers: EffectHandlers, options: FrontEndOptions = {}): FrontEnd {
    return new FrontEnd(this, handlers, options)
  }

  /** Returns where things stand, with all calls that wait for a decision. */
  async state({ signal }: RequestOptions = {}): Promise<State> {
    const { pending_cursor, ...state } = await this.#transport.json<StatePage>('GET', '/state', { signal })
    if (pending_cursor === undefined) return state
    return { ...state, pending: [...state.pending, ...(await this.#approvalsAfter(pending_cursor, signal))] }
  }

  health({ signal }: RequestOptions = {}): Promise<Health> {
    return this.#transport.json('GET', '/health', { signal })
  }

  capabilities({ signal }: RequestOptions = {}): Promise<Record<string, unknown>> {
    return this.#transport.json('GET', '/capabilities', { signal })
  }

  /**
   * Follows events indefinitely: reconnects automatically and resumes where it was, so that events are neither missed nor
   * repeated. Every connection begins with a `stream.snapshot`. Ends when `signal` aborts or the loop is left; throws if the
   * server refuses.
   */
  events(options: EventsOptions = {}): AsyncGenerator<Event> {
    return followEvents(this.#transport, options)
  }
}

function toRequestParts(tool: string, params: object, options: CallOptions) {
  const { wait_ms, on_disconnect, idempotency_key, fresh, signal, ...rest } = options
  return {
    body: { tool, params, ...rest },
    query: { wait_ms, on_disconnect },
    headers: { 'idempotency-key': idempotency_key, 'cache-control': fresh ? 'no-cache' : undefined },
    signal
  }
}
