// A language server for one project, however often it has to be started: on first use, and again after a crash, at once at
// first and then less and less often.
import { ToolError } from '../../errors.ts'
import type { ServerState } from './language-service.ts'
import type { Session } from './lsp-session.ts'
import type { Launch } from './servers/launch-config.ts'
import { type Ending, overFor } from './wire/server-process.ts'

/** How long it is left alone after so many crashes in a row. */
const PAUSES_MS = [0, 0, 1_000, 5_000, 30_000]
/** A run that lasted so long makes earlier crashes forgotten. */
const STEADY_MS = 60_000

/** Crashes in a row, and the last of them. */
interface Crashes {
  count: number
  at: number
  ending: Ending
}

export class ProjectServer {
  /** Name of the workspace. */
  readonly workspace: string
  readonly launch: Launch
  readonly #begin: () => Promise<Session>
  readonly #dependencies: () => string
  #session: Session | undefined
  /** A run that is no longer needed, until it has ended. */
  #leaving: Promise<unknown> | undefined
  /** What the project depended on when the run began. */
  #began_with = ''
  #starting: Promise<Session> | undefined
  #crashes: Crashes | undefined
  #starts = 0
  #reason: string | undefined
  #asking = 0
  #used = 0

  /** `begin` starts one run; `dependencies` differs when what the project depends on does. */
  constructor(workspace: string, launch: Launch, begin: () => Promise<Session>, dependencies: () => string) {
    this.workspace = workspace
    this.launch = launch
    this.#begin = begin
    this.#dependencies = dependencies
  }

  /** The run that answers now; undefined while none does. */
  get session(): Session | undefined {
    return this.#session
  }

  /** Or about to. */
  get isRunning(): boolean {
    return this.#session !== undefined || this.#starting !== undefined
  }

  /** How many wait for an answer. */
  get asking(): number {
    return this.#asking
  }

  /** When it was asked last. */
  get used(): number {
    return this.#used
  }

  /** Gives the work a run of the server. Others share the run and its start. */
  async using<T>(work: (session: Session) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#session && this.#asking === 0 && this.#dependencies() !== this.#began_with)
      this.#leave('what the project depends on has changed')
    this.#asking += 1
    try {
      return await work(this.#session ?? (await started(this.#start(), signal)))
    } finally {
      this.#asking -= 1
      this.#used = performance.now()
    }
  }

  state(): Omit<ServerState, 'memory_bytes'> {
    const { server, root } = this.launch
    const session = this.#session
    return {
      server: server.name,
      root,
      state: this.#word(),
      ...(session && { pid: session.pid }),
      restarts: Math.max(0, this.#starts - 1),
      ...(this.#reason !== undefined && !session && { reason: this.#reason })
    }
  }

  /** Whoever asks from now on gets another run. */
  async stop(why: string): Promise<void> {
    if (!this.#session) await this.#starting?.catch(() => {})
    this.#leave(why)
    await this.#leaving
  }

  #leave(why: string) {
    const session = this.#session
    if (!session) return
    this.#session = undefined
    this.#reason = why
    this.#leaving = session.stop(why)
  }

  #word(): ServerState['state'] {
    if (this.#session) return this.#session.readiness.isReady ? 'ready' : 'loading'
    if (this.#starting) return 'starting'
    return this.#crashes ? 'failed' : 'stopped'
  }

  #start(): Promise<Session> {
    this.#refuseTooSoon()
    this.#starting ??= this.#run().finally(() => {
      this.#starting = undefined
    })
    // Whoever started it may have gone.
    this.#starting.catch(() => {})
    return this.#starting
  }

  async #run(): Promise<Session> {
    await this.#leaving
    this.#starts += 1
    this.#began_with = this.#dependencies()
    const since = performance.now()
    this.#used = since
    try {
      const session = await this.#begin()
      this.#session = session
      this.#reason = undefined
      void session.ended.then(ending => this.#ended(session, ending, since))
      return session
    } catch (error) {
      if (error instanceof ToolError && error.code === 'LSP_UNAVAILABLE')
        this.#crashed({ exit_code: null, signal: null, stderr: '', why: error.message, ...error.details })
      throw error
    }
  }

  #ended(session: Session, ending: Ending, since: number) {
    if (this.#session === session) this.#session = undefined
    if (performance.now() - since >= STEADY_MS) this.#crashes = undefined
    if (!ending.stopped) this.#crashed(ending)
  }

  #crashed(ending: Ending) {
    this.#crashes = { count: (this.#crashes?.count ?? 0) + 1, at: performance.now(), ending }
    this.#reason = overFor(this.launch.server, ending).message
  }

  #refuseTooSoon() {
    if (!this.#crashes) return
    const { count, at, ending } = this.#crashes
    const pause = PAUSES_MS[Math.min(count, PAUSES_MS.length - 1)]!
    const wait = Math.ceil(at + pause - performance.now())
    if (wait <= 0) return
    const { message, details } = overFor(this.launch.server, ending)
    throw new ToolError(
      'LSP_UNAVAILABLE',
      `${message} It has ended ${count} times in a row and is started again in ${wait} ms at the earliest.`,
      { ...details, retry_in_ms: wait }
    )
  }
}

/** The start goes on for others where one no longer waits. */
async function started(starting: Promise<Session>, signal: AbortSignal): Promise<Session> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([starting, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
