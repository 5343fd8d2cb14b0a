// One MCP server in one workspace across restarts: restarted after a failure with increasing backoff.
import type { McpServer } from '../../config/mcp.ts'
import type { Config } from '../../config/schema.ts'
import { ToolError } from '../../errors.ts'
import type { McpServerState } from '../../protocol/mcp-servers.ts'
import type { Workspace } from '../workspace.ts'
import type { McpConnection } from './connection.ts'
import { classifyMcpError } from './errors.ts'
import { Handshake, type TransportKind } from './handshake.ts'
import type { McpClientSession } from './mcp-client-session.ts'
import { waitAtMost } from './start-limiter.ts'
import { defineTools, type McpToolDefinition, type RefusedTool, type ToolDefinitions } from './tool-definitions.ts'
import { PermanentMcpError } from './tool-results.ts'

/** Backoff in milliseconds, by the number of consecutive failures. */
const RESTART_BACKOFF_MS = [0, 500, 2_000, 5_000, 15_000, 60_000, 300_000]
/** Run time after which earlier failures are forgotten. */
const STABLE_RUN_MS = 60_000
/** A call does not wait for the backoff to end, but this is the minimum interval between starts. */
const MIN_RESTART_INTERVAL_MS = 1_000

/** A configured server. */
export interface McpServerEntry {
  name: string
  config: McpServer
  /** The configuration file that defines it. */
  file?: string
  /** Defined by the workspace itself, not by the user. */
  isFromWorkspace: boolean
  trusted: boolean
}

interface WorkspaceMcpServerOptions {
  entry: McpServerEntry
  workspace: Workspace
  settings: Config['mcp']
  /** This server's version. */
  clientVersion: string
  /** Waits for a start slot; resolves with a function that releases it. */
  acquireStartSlot(signal: AbortSignal): Promise<() => void>
  openConnection(transport: TransportKind): Promise<McpConnection>
  /** Called when its state or its tools have changed. */
  onChange(server: WorkspaceMcpServer): void
  /** Called once per session that sends too many notifications. */
  onFlood(server: WorkspaceMcpServer): void
}

type State = McpServerState['state']

export class WorkspaceMcpServer {
  readonly entry: McpServerEntry
  readonly workspace: Workspace
  readonly #options: WorkspaceMcpServerOptions
  readonly #handshake: Handshake
  readonly #closing = new AbortController()
  #state: State
  #reason: string | undefined
  #session: McpClientSession | undefined
  #connecting: Promise<void> | undefined
  #retry: { at: number; timer: NodeJS.Timeout } | undefined
  #failures = { count: 0, at: 0 }
  #starts = 0
  #lastOutput = ''
  #serverInfo: McpServerState['server']
  #tools: ToolDefinitions['tools'] = new Map()
  #refused: RefusedTool[] = []

  constructor(terms: WorkspaceMcpServerOptions) {
    const { entry, workspace, settings, clientVersion, openConnection } = terms
    this.#options = terms
    this.entry = entry
    this.workspace = workspace
    const { type, command } = entry.config
    this.#handshake = new Handshake({
      workspace,
      clientVersion,
      transport: command !== undefined ? 'stdio' : type === 'sse' ? 'sse' : 'http',
      isTransportGuessed: type === undefined,
      maxListBytes: settings.max_result_bytes,
      openConnection,
      onToolsChanged: () => void this.#reloadTools(),
      onFlood: () => terms.onFlood(this)
    })
    this.#state = entry.trusted ? (entry.config.disabled ? 'disabled' : 'waiting') : 'untrusted'
    this.#reason = STATE_REASONS[this.#state]?.(entry)
  }

  /** Its latest tools. */
  get tools(): ReadonlyMap<string, McpToolDefinition> {
    return this.#tools
  }

  get isRunnable(): boolean {
    return this.#state !== 'untrusted' && this.#state !== 'disabled'
  }

  start() {
    if (this.#state === 'waiting') this.#start()
  }

  /** Restarts it from any state; resolves once it is ready or has failed. */
  async restart(): Promise<void> {
    if (!this.isRunnable) return
    this.#failures = { count: 0, at: 0 }
    const session = this.#session
    this.#session = undefined
    await session?.connection.stop('the server is being restarted')
    this.#start()
    await this.#connecting
  }

  /** Runs work with a session. A request that a lost session has not taken is retried with the next one. */
  async withSession<T>(work: (session: McpClientSession) => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries++) {
      const session = this.#session ?? (await this.#waitForSession(signal))
      try {
        return await work(session)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ToolError) throw error
        const { kind, message } = await classifyMcpError(error)
        if (kind === 'said') throw new PermanentMcpError(message, { server: this.entry.name })
        if (kind === 'scope') throw new PermanentMcpError(scopeHint(this.entry), { server: this.entry.name })
        const why = kind === 'gone' ? (await session.connection.ended).reason : message
        this.#onSessionLost(session, why, kind === 'login' ? 'needs_login' : undefined)
        if (kind !== 'forgotten' || tries > 1) throw this.#unavailableError(this.#reason ?? why)
      }
    }
  }

  /** Checks if the server still answers, after a call has timed out. */
  checkLiveness() {
    void this.#session?.killIfUnresponsive()
  }

  state(): McpServerState {
    const { name, config, file, trusted } = this.entry
    const link = this.#session?.connection
    const dropped = this.#session?.droppedNotifications ?? 0
    const printed = link?.recentOutput() || this.#lastOutput
    return {
      name,
      workspace: this.workspace.name,
      transport: this.#handshake.transport,
      state: this.#state,
      ...(this.#reason !== undefined && { reason: this.#reason }),
      ...(file !== undefined && { file }),
      trusted,
      tools: this.#tools.size,
      ...(this.#refused.length > 0 && { refused: this.#refused }),
      ...(this.#serverInfo && { server: this.#serverInfo }),
      ...(link?.pid !== undefined && { pid: link.pid }),
      restarts: Math.max(0, this.#starts - 1),
      ...(dropped > 0 && { dropped_notifications: dropped }),
      ...(this.#retry && { retry_at: new Date(Date.now() + this.#retry.at - performance.now()).toISOString() }),
      ...(printed && config.command !== undefined && { stderr: printed })
    }
  }

  async stop(why: string): Promise<void> {
    this.#closing.abort(new ToolError('MCP_ERROR', `The MCP server ${this.entry.name} is stopped: ${why}.`))
    this.#clearRetry()
    await Promise.all([this.#session?.connection.stop(why), this.#connecting])
  }

  #start() {
    if (this.#connecting || this.#session || this.#closing.signal.aborted) return
    this.#clearRetry()
    this.#setState('connecting')
    this.#connecting = this.#connect()
      .catch(error => this.#onConnectFailed(error))
      .finally(() => {
        this.#connecting = undefined
      })
  }

  async #connect(): Promise<void> {
    const { connect_ms } = this.#options.settings
    const done = await this.#options.acquireStartSlot(this.#closing.signal)
    const late = new AbortController()
    const timer = setTimeout(
      () => late.abort(new Error(`the server was not ready within ${connect_ms} ms (mcp.connect_ms)`)),
      connect_ms
    )
    this.#starts += 1
    try {
      await this.#openSession(AbortSignal.any([late.signal, this.#closing.signal]))
    } finally {
      clearTimeout(timer)
      done()
    }
  }

  async #openSession(signal: AbortSignal) {
    const session = await this.#handshake.openSession(signal).finally(() => {
      this.#lastOutput = this.#handshake.lastOutput
    })
    try {
      await this.#loadTools(session, signal)
      signal.throwIfAborted()
    } catch (error) {
      session.connection.kill('the tools of the server could not be listed')
      await session.connection.ended
      this.#lastOutput = session.connection.recentOutput()
      throw signal.aborted ? signal.reason : error
    }
    const since = performance.now()
    this.#session = session
    this.#serverInfo = session.serverInfo
    this.#setState('ready')
    void session.connection.ended.then(({ reason, wasStopped }) => {
      this.#lastOutput = session.connection.recentOutput()
      if (performance.now() - since >= STABLE_RUN_MS) this.#failures = { count: 0, at: 0 }
      if (!wasStopped) this.#onSessionLost(session, reason)
    })
  }

  async #loadTools(session: McpClientSession, signal: AbortSignal) {
    const { entry, settings } = this.#options
    const { tools, refused } = await defineTools(await session.listTools(signal), {
      server: entry.name,
      config: entry.config,
      timeout_ms: settings.timeout_ms,
      max_tools: settings.max_tools
    })
    // Unchanged definitions retain their object identity.
    for (const [name, { definition }] of tools) {
      const known = this.#tools.get(name)
      if (known?.definition === definition) tools.set(name, known)
    }
    this.#tools = tools
    this.#refused = refused
  }

  async #reloadTools() {
    const session = this.#session
    if (!session) return
    const late = AbortSignal.timeout(this.#options.settings.connect_ms)
    try {
      await this.#loadTools(session, AbortSignal.any([this.#closing.signal, late]))
      this.#options.onChange(this)
    } catch (error) {
      const { message } = await classifyMcpError(error)
      this.#onSessionLost(session, `the tools of the server could not be listed again: ${message}`)
    }
  }

  /** Drops a session that no longer answers; later callers get another one. */
  #onSessionLost(session: McpClientSession, why: string, state?: 'needs_login') {
    if (this.#session !== session) return
    this.#session = undefined
    session.connection.kill(why)
    if (this.#closing.signal.aborted) return
    if (state === 'needs_login') this.#setState(state, loginHint(this.entry))
    else this.#backOff(why)
  }

  async #onConnectFailed(error: unknown) {
    if (this.#closing.signal.aborted) return
    const { kind, message } = await classifyMcpError(error)
    if (kind === 'login') this.#setState('needs_login', loginHint(this.entry))
    else if (kind === 'scope') this.#setState('needs_login', scopeHint(this.entry))
    else if (kind === 'hopeless') this.#setState('failed', message)
    else this.#backOff(message)
  }

  #backOff(reason: string) {
    this.#failures = { count: this.#failures.count + 1, at: performance.now() }
    const pause = RESTART_BACKOFF_MS[Math.min(this.#failures.count, RESTART_BACKOFF_MS.length - 1)]!
    const wait = Math.round(pause * (0.9 + Math.random() / 5))
    this.#retry = { at: performance.now() + wait, timer: setTimeout(() => this.#start(), wait).unref() }
    this.#setState('backing_off', reason)
  }

  #setState(state: State, reason?: string) {
    this.#state = state
    this.#reason = reason
    this.#options.onChange(this)
  }

  #clearRetry() {
    clearTimeout(this.#retry?.timer)
    this.#retry = undefined
  }

  /** Waits for a working session. */
  async #waitForSession(signal: AbortSignal): Promise<McpClientSession> {
    const { wait_ms } = this.#options.settings
    const { count, at } = this.#failures
    const isRested = count <= 1 || performance.now() - at >= MIN_RESTART_INTERVAL_MS
    if (this.#state === 'waiting' || (this.#state === 'backing_off' && isRested)) this.#start()
    await waitAtMost(this.#connecting, wait_ms, signal)
    if (this.#session) return this.#session
    throw this.#unavailableError(this.#reason ?? `the server is still starting after ${wait_ms} ms`)
  }

  #unavailableError(why: string): ToolError {
    const { name } = this.entry
    const retry_in_ms = this.#retry && Math.max(0, this.#retry.at - performance.now())
    return new ToolError('MCP_ERROR', `The MCP server ${name} does not answer: ${why.replace(/\.$/, '')}.`, {
      server: name,
      state: this.#state,
      ...(retry_in_ms !== undefined && { retry_in_ms })
    })
  }
}

const loginHint = ({ name, config }: McpServerEntry) =>
  config.oauth?.grant === 'client_credentials' || config.headers
    ? 'the server rejects the configured credentials: check `headers` or `oauth` of its entry'
    : `the server requires a login: toolgate mcp login ${name}`

/** A login asks for the scope that it misses. */
const scopeHint = (entry: McpServerEntry) =>
  `The MCP server ${entry.name} requires scopes that were not granted: ${loginHint(entry)}`

const STATE_REASONS: Partial<Record<State, (entry: McpServerEntry) => string>> = {
  untrusted: ({ file }) =>
    `the file of the workspace that configures the server is not trusted: read it, then run toolgate trust ${file}`,
  disabled: () => 'the setting `disabled` of the server is true'
}
