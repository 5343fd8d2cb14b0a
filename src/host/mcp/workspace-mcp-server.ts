// One MCP server in one workspace, however often it has to be started: again after it broke off, soon at first and then
// less and less often.
import type { McpServer, McpSettings } from '../../config/mcp.ts'
import { ToolError } from '../../errors.ts'
import type { Workspace } from '../host.ts'
import type { Link } from './connection.ts'
import { faultOf } from './errors.ts'
import { Approach, type Transport } from './handshake.ts'
import type { McpServerState } from './mcp-client.ts'
import type { Session } from './mcp-client-session.ts'
import { within } from './start-limiter.ts'
import { type DefinedTool, type Definitions, definitionsOf, type Refused } from './tool-definitions.ts'
import { McpFault } from './tool-results.ts'

/** How long it is left alone after so many failures in a row. */
const PAUSES_MS = [0, 500, 2_000, 5_000, 15_000, 60_000, 300_000]
/** A run that lasted so long makes earlier failures forgotten. */
const STEADY_MS = 60_000
/** Whoever calls it does not wait for the pause to end, but it is not started more often than this. */
const SOONEST_MS = 1_000

/** A server as it is configured. */
export interface Entry {
  name: string
  config: McpServer
  /** The file that brings it. */
  file?: string
  /** It comes from the workspace itself, and not from the user. */
  from_workspace: boolean
  trusted: boolean
}

export interface ServerTerms {
  entry: Entry
  workspace: Workspace
  settings: McpSettings
  /** Ours. */
  version: string
  /** Waits until it may be started, and answers what to call once it has. */
  turn(signal: AbortSignal): Promise<() => void>
  open(transport: Transport): Promise<Link>
  /** Hears when its state or its tools are others than before. */
  changed(server: Server): void
}

type State = McpServerState['state']

export class Server {
  readonly entry: Entry
  readonly workspace: Workspace
  readonly #terms: ServerTerms
  readonly #approach: Approach
  readonly #closing = new AbortController()
  #state: State
  #reason: string | undefined
  #session: Session | undefined
  #attempt: Promise<void> | undefined
  #retry: { at: number; timer: NodeJS.Timeout } | undefined
  #failures = { count: 0, at: 0 }
  #starts = 0
  #printed = ''
  #about: McpServerState['server']
  #tools: Definitions['tools'] = new Map()
  #refused: Refused[] = []

  constructor(terms: ServerTerms) {
    const { entry, workspace, settings, version, open } = terms
    this.#terms = terms
    this.entry = entry
    this.workspace = workspace
    const { type, command } = entry.config
    this.#approach = new Approach({
      workspace,
      version,
      transport: command !== undefined ? 'stdio' : type === 'sse' ? 'sse' : 'http',
      guessed: type === undefined,
      most_bytes: settings.max_result_bytes,
      open,
      changed: () => void this.#listAgain()
    })
    this.#state = entry.trusted ? (entry.config.disabled ? 'disabled' : 'waiting') : 'untrusted'
    this.#reason = REASONS[this.#state]?.(entry)
  }

  /** What it offered last. */
  get tools(): ReadonlyMap<string, DefinedTool> {
    return this.#tools
  }

  get isRunnable(): boolean {
    return this.#state !== 'untrusted' && this.#state !== 'disabled'
  }

  begin() {
    if (this.#state === 'waiting') this.#start()
  }

  /** Starts it anew, whatever became of it; resolves once it is ready or has failed. */
  async restart(): Promise<void> {
    if (!this.isRunnable) return
    this.#failures = { count: 0, at: 0 }
    const session = this.#session
    this.#session = undefined
    await session?.link.stop('it is started anew')
    this.#start()
    await this.#attempt
  }

  /** Gives the work a run of the server. What a run has not taken is given to the next one. */
  async using<T>(work: (session: Session) => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries++) {
      const session = this.#session ?? (await this.#ready(signal))
      try {
        return await work(session)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ToolError) throw error
        const { kind, message } = await faultOf(error)
        if (kind === 'said') throw new McpFault(message, { server: this.entry.name })
        const why = kind === 'gone' ? (await session.link.ended).why : message
        this.#lost(session, why, kind === 'login' ? 'needs_login' : undefined)
        if (kind !== 'forgotten' || tries > 1) throw this.#broken(this.#reason ?? why)
      }
    }
  }

  /** A call took too long: looks whether it answers at all. */
  suspect() {
    void this.#session?.mustAnswer()
  }

  state(): McpServerState {
    const { name, config, file, trusted } = this.entry
    const link = this.#session?.link
    const printed = link?.printed() || this.#printed
    return {
      name,
      workspace: this.workspace.name,
      transport: this.#approach.transport,
      state: this.#state,
      ...(this.#reason !== undefined && { reason: this.#reason }),
      ...(file !== undefined && { file }),
      trusted,
      tools: this.#tools.size,
      ...(this.#refused.length > 0 && { refused: this.#refused }),
      ...(this.#about && { server: this.#about }),
      ...(link?.pid !== undefined && { pid: link.pid }),
      restarts: Math.max(0, this.#starts - 1),
      ...(this.#retry && { retry_at: new Date(this.#retry.at).toISOString() }),
      ...(printed && config.command !== undefined && { stderr: printed })
    }
  }

  async stop(why: string): Promise<void> {
    this.#closing.abort(new ToolError('MCP_ERROR', `The MCP server ${this.entry.name} is stopped: ${why}.`))
    this.#forgetRetry()
    await Promise.all([this.#session?.link.stop(why), this.#attempt])
  }

  #start() {
    if (this.#attempt || this.#session || this.#closing.signal.aborted) return
    this.#forgetRetry()
    this.#become('connecting')
    this.#attempt = this.#connect()
      .catch(error => this.#failed(error))
      .finally(() => {
        this.#attempt = undefined
      })
  }

  async #connect(): Promise<void> {
    const { connect_ms } = this.#terms.settings
    const done = await this.#terms.turn(this.#closing.signal)
    const late = new AbortController()
    const timer = setTimeout(
      () => late.abort(new Error(`it was not ready within ${connect_ms} ms (mcp.connect_ms)`)),
      connect_ms
    )
    this.#starts += 1
    try {
      await this.#enter(AbortSignal.any([late.signal, this.#closing.signal]))
    } finally {
      clearTimeout(timer)
      done()
    }
  }

  async #enter(signal: AbortSignal) {
    const session = await this.#approach.session(signal).finally(() => {
      this.#printed = this.#approach.printed
    })
    try {
      await this.#list(session, signal)
      signal.throwIfAborted()
    } catch (error) {
      session.link.kill('it could not tell its tools')
      await session.link.ended
      this.#printed = session.link.printed()
      throw signal.aborted ? signal.reason : error
    }
    const since = performance.now()
    this.#session = session
    this.#about = session.about
    this.#become('ready')
    void session.link.ended.then(({ why, stopped }) => {
      this.#printed = session.link.printed()
      if (performance.now() - since >= STEADY_MS) this.#failures = { count: 0, at: 0 }
      if (!stopped) this.#lost(session, why)
    })
  }

  async #list(session: Session, signal: AbortSignal) {
    const { entry, settings } = this.#terms
    const { tools, refused } = await definitionsOf(await session.tools(signal), {
      server: entry.name,
      config: entry.config,
      timeout_ms: settings.timeout_ms,
      max_tools: settings.max_tools
    })
    // What says the same stays the very same.
    for (const [name, { definition }] of tools) {
      const known = this.#tools.get(name)
      if (known?.definition === definition) tools.set(name, known)
    }
    this.#tools = tools
    this.#refused = refused
  }

  async #listAgain() {
    const session = this.#session
    if (!session) return
    const late = AbortSignal.timeout(this.#terms.settings.connect_ms)
    try {
      await this.#list(session, AbortSignal.any([this.#closing.signal, late]))
      this.#terms.changed(this)
    } catch (error) {
      const { message } = await faultOf(error)
      this.#lost(session, `it could not tell its tools anew: ${message}`)
    }
  }

  /** A run that does not answer any more; whoever calls gets another one. */
  #lost(session: Session, why: string, state?: 'needs_login') {
    if (this.#session !== session) return
    this.#session = undefined
    session.link.kill(why)
    if (this.#closing.signal.aborted) return
    if (state === 'needs_login') this.#become(state, loginOf(this.entry))
    else this.#backOff(why)
  }

  async #failed(error: unknown) {
    if (this.#closing.signal.aborted) return
    const { kind, message } = await faultOf(error)
    if (kind === 'login') this.#become('needs_login', loginOf(this.entry))
    else if (kind === 'hopeless') this.#become('failed', message)
    else this.#backOff(message)
  }

  #backOff(reason: string) {
    this.#failures = { count: this.#failures.count + 1, at: performance.now() }
    const pause = PAUSES_MS[Math.min(this.#failures.count, PAUSES_MS.length - 1)]!
    const wait = Math.round(pause * (0.9 + Math.random() / 5))
    this.#retry = { at: Date.now() + wait, timer: setTimeout(() => this.#start(), wait).unref() }
    this.#become('backing_off', reason)
  }

  #become(state: State, reason?: string) {
    this.#state = state
    this.#reason = reason
    this.#terms.changed(this)
  }

  #forgetRetry() {
    clearTimeout(this.#retry?.timer)
    this.#retry = undefined
  }

  /** A run that answers, as soon as there is one. */
  async #ready(signal: AbortSignal): Promise<Session> {
    const { wait_ms } = this.#terms.settings
    const { count, at } = this.#failures
    const isRested = count <= 1 || performance.now() - at >= SOONEST_MS
    if (this.#state === 'waiting' || (this.#state === 'backing_off' && isRested)) this.#start()
    await within(this.#attempt, wait_ms, signal)
    if (this.#session) return this.#session
    throw this.#broken(this.#reason ?? `it is still starting after ${wait_ms} ms (mcp.wait_ms)`)
  }

  #broken(why: string): ToolError {
    const { name } = this.entry
    const retry_in_ms = this.#retry && Math.max(0, this.#retry.at - Date.now())
    return new ToolError('MCP_ERROR', `The MCP server ${name} does not answer: ${why.replace(/\.$/, '')}.`, {
      server: name,
      state: this.#state,
      ...(retry_in_ms !== undefined && { retry_in_ms })
    })
  }
}

const loginOf = ({ name, config }: Entry) =>
  config.oauth?.grant === 'client_credentials' || config.headers
    ? 'it refuses what it is given to let us in: see `headers` or `oauth` of its entry'
    : `it wants a login: toolgate mcp login ${name}`

const REASONS: Partial<Record<State, (entry: Entry) => string>> = {
  untrusted: ({ file }) => `the workspace brings it, and its file is not trusted: read it, then toolgate trust ${file}`,
  disabled: () => 'it is switched off by `disabled`'
}
