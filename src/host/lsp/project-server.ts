// A language server of one project across restarts: started on first use, and again after a crash, with increasing backoff.
import { ToolError } from '../../errors.ts'
import type { LanguageServerState } from './language-service.ts'
import type { LspSession } from './lsp-session.ts'
import type { LaunchConfig } from './servers/launch-config.ts'
import { type ServerExit, toExitError } from './wire/server-process.ts'

/** Backoff in milliseconds, by the number of consecutive crashes. */
const RESTART_BACKOFF_MS = [0, 0, 1_000, 5_000, 30_000]
/** Run time after which earlier crashes are forgotten. */
const STABLE_RUN_MS = 60_000

/** Consecutive crashes, and the last of them. */
interface CrashHistory {
  count: number
  at: number
  error: ToolError
}

export class ProjectServer {
  /** Name of the workspace. */
  readonly workspace: string
  readonly launch: LaunchConfig
  readonly #startSession: () => Promise<LspSession>
  readonly #dependencyFingerprint: () => string
  #session: LspSession | undefined
  /** A session that is being stopped, until it has ended. */
  #stopping: Promise<unknown> | undefined
  /** Fingerprint of the dependencies when the session began. */
  #startFingerprint = ''
  #starting: Promise<LspSession> | undefined
  #crashes: CrashHistory | undefined
  #starts = 0
  #reason: string | undefined
  #inFlight = 0
  #lastUsed = 0

  /** `begin` starts a session; `dependencies` returns a fingerprint of the project's dependencies. */
  constructor(workspace: string, launch: LaunchConfig, begin: () => Promise<LspSession>, dependencies: () => string) {
    this.workspace = workspace
    this.launch = launch
    this.#startSession = begin
    this.#dependencyFingerprint = dependencies
  }

  /** The current session; undefined if there is none. */
  get session(): LspSession | undefined {
    return this.#session
  }

  /** Running or starting. */
  get isRunning(): boolean {
    return this.#session !== undefined || this.#starting !== undefined
  }

  /** Number of in-flight requests. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Time of the last request. */
  get lastUsed(): number {
    return this.#lastUsed
  }

  /** Runs work with a session. Concurrent callers share the session and its start. */
  async withSession<T>(work: (session: LspSession) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#session && this.#inFlight === 0 && this.#dependencyFingerprint() !== this.#startFingerprint)
      this.#retire('dependencies of the project have changed')
    this.#inFlight += 1
    try {
      return await work(this.#session ?? (await this.#waitForStart(signal)))
    } finally {
      this.#inFlight -= 1
      this.#lastUsed = performance.now()
    }
  }

  /** The start continues for others, and for later calls, if one caller no longer waits. */
  async #waitForStart(signal: AbortSignal): Promise<LspSession> {
    signal.throwIfAborted()
    const { promise, reject } = Promise.withResolvers<never>()
    const abort = () => reject(isTimeout(signal.reason) ? this.#stillStartingError() : signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([this.#start(), promise])
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  #stillStartingError(): ToolError {
    const { name } = this.launch.server
    return new ToolError('TIMEOUT', `The language server ${name} is still starting. Try again later.`, {
      server: name,
      state: 'starting'
    })
  }

  state(): Omit<LanguageServerState, 'memory_bytes'> {
    const { server, root } = this.launch
    const session = this.#session
    return {
      server: server.name,
      root,
      state: this.#stateName(),
      ...(session && { pid: session.pid }),
      restarts: Math.max(0, this.#starts - 1),
      ...(this.#reason !== undefined && !session && { reason: this.#reason })
    }
  }

  /** Stops the session; later requests get a new one. */
  async stop(why: string): Promise<void> {
    if (!this.#session) await this.#starting?.catch(() => {})
    this.#retire(why)
    await this.#stopping
  }

  #retire(why: string) {
    const session = this.#session
    if (!session) return
    this.#session = undefined
    this.#reason = why
    this.#stopping = session.stop(why)
  }

  #stateName(): LanguageServerState['state'] {
    if (this.#session) return this.#session.readiness.isReady ? 'ready' : 'loading'
    if (this.#starting) return 'starting'
    return this.#crashes ? 'failed' : 'stopped'
  }

  #start(): Promise<LspSession> {
    this.#assertBackoffElapsed()
    this.#starting ??= this.#startOnce().finally(() => {
      this.#starting = undefined
    })
    // Prevents an unhandled rejection if the caller that started it has left.
    this.#starting.catch(() => {})
    return this.#starting
  }

  async #startOnce(): Promise<LspSession> {
    await this.#stopping
    this.#starts += 1
    this.#startFingerprint = this.#dependencyFingerprint()
    const since = performance.now()
    this.#lastUsed = since
    try {
      const session = await this.#startSession()
      this.#session = session
      this.#reason = undefined
      void session.ended.then(ending => this.#onExit(session, ending, since))
      return session
    } catch (error) {
      if (error instanceof ToolError && error.code === 'LSP_UNAVAILABLE') this.#recordCrash(error)
      throw error
    }
  }

  #onExit(session: LspSession, ending: ServerExit, since: number) {
    if (this.#session === session) this.#session = undefined
    if (performance.now() - since >= STABLE_RUN_MS) this.#crashes = undefined
    if (!ending.wasStopped) this.#recordCrash(toExitError(this.launch.server, ending))
  }

  #recordCrash(error: ToolError) {
    this.#crashes = { count: (this.#crashes?.count ?? 0) + 1, at: performance.now(), error }
    this.#reason = error.message
  }

  #assertBackoffElapsed() {
    if (!this.#crashes) return
    const { count, at, error } = this.#crashes
    const pause = RESTART_BACKOFF_MS[Math.min(count, RESTART_BACKOFF_MS.length - 1)]!
    const wait = Math.ceil(at + pause - performance.now())
    if (wait <= 0) return
    const { message, details } = error
    throw new ToolError(
      'LSP_UNAVAILABLE',
      `${message} The language server has ended ${count} times in a row. It is restarted after ${wait} ms at the earliest.`,
      { ...details, retry_in_ms: wait }
    )
  }
}

const isTimeout = (error: unknown) => error instanceof ToolError && error.code === 'TIMEOUT'
