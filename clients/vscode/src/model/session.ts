// The connection to the server of the open folders, and everything known about it. It finds the server whenever one is started, and
// finds it again after a restart.
import { type Client, connect, type Event, ToolgateError } from '../../../../src/client/client.ts'
import type { EffectHandlers } from '../../../../src/client/delegation-handling.ts'
import { type DiscoveredServer, discover } from '../../../../src/node-client/discover.ts'
import { BackgroundJobs } from './background-jobs.ts'
import { coalesce } from './coalesce.ts'
import { Listeners } from './listeners.ts'
import { Modes } from './modes.ts'
import { RecentCalls } from './recent-calls.ts'
import { WaitingCalls } from './waiting-calls.ts'

export type ConnectionState =
  | { readonly state: 'stopped' }
  /** No server serves the folders. */
  | { readonly state: 'off'; readonly reason?: string }
  | { readonly state: 'live' }
  /** The connection is lost, and will be made again. */
  | { readonly state: 'lost' }
  /** The server denies access. */
  | { readonly state: 'refused'; readonly reason: string }

export interface ServedWorkspace {
  readonly name: string
  readonly root: string
}

export interface SessionOptions {
  /** Returns the environment in which the server is looked for. */
  readonly getEnvironment: () => Readonly<Record<string, string | undefined>>
  /** Identifies this window across its connections. */
  readonly clientId: string
}

/** Events that change something that is shown. Output of commands is not among them. */
const EVENT_TYPES = [
  'tool.call',
  'tool.decision',
  'tool.result',
  'tool.content_removed',
  'file.changed',
  'job.started',
  'job.exited',
  'session.mode'
] as const

const RETRY_MS = 2_000
const LIST_DELAY_MS = 100

export class Session {
  readonly clientId: string
  readonly stateChanged = new Listeners()
  /** The server has reported which folders it serves. */
  readonly connected = new Listeners()
  readonly calls = new WaitingCalls()
  readonly jobs = new BackgroundJobs()
  readonly recent = new RecentCalls()
  readonly modes = new Modes()
  readonly #getEnvironment: SessionOptions['getEnvironment']
  #state: ConnectionState = { state: 'stopped' }
  #client: Client | undefined
  #workspaces: readonly ServedWorkspace[] = []
  #stop = new AbortController()
  /** Ends the delay before the next search for a server. */
  #wake: () => void = () => {}
  readonly #loadRecent = coalesce(LIST_DELAY_MS, async () => this.#client && this.recent.load(this.#client))
  readonly #loadJobs = coalesce(LIST_DELAY_MS, async () => this.#client && this.jobs.load(this.#client))

  constructor({ getEnvironment, clientId }: SessionOptions) {
    this.#getEnvironment = getEnvironment
    this.clientId = clientId
  }

  get state(): ConnectionState {
    return this.#state
  }

  get isLive(): boolean {
    return this.#state.state === 'live'
  }

  /** The client of the server that was found. */
  get client(): Client | undefined {
    return this.#client
  }

  /** The served folders, the longest root first. */
  get workspaces(): readonly ServedWorkspace[] {
    return this.#workspaces
  }

  /** Returns the client, or throws an error for the person if there is no connection. */
  requireClient(): Client {
    if (this.#client && this.isLive) return this.#client
    throw new Error('No Toolgate server is connected.')
  }

  /** Follows the server of these folders from now on, and performs effects for its calls. */
  connect(folders: readonly string[], handlers: EffectHandlers) {
    this.disconnect()
    this.#stop = new AbortController()
    void this.#follow(folders, handlers, this.#stop.signal)
  }

  /** Looks for the server now, for example after one was started. */
  search() {
    this.#wake()
  }

  disconnect() {
    this.#stop.abort()
    this.#forget()
    this.#setState({ state: 'stopped' })
  }

  dispose() {
    this.disconnect()
    this.#loadRecent.dispose()
    this.#loadJobs.dispose()
    this.modes.dispose()
  }

  async #follow(folders: readonly string[], handlers: EffectHandlers, signal: AbortSignal) {
    while (!signal.aborted) {
      try {
        const found = await this.#find(folders)
        if (signal.aborted) return
        if (found) await this.#followServer(found, folders, handlers, signal)
        else this.#setState({ state: 'off' })
      } catch (error) {
        if (!signal.aborted) this.#setState(describeFailure(error))
      }
      if (!signal.aborted) await this.#delay(signal)
    }
  }

  async #followServer(
    found: DiscoveredServer,
    folders: readonly string[],
    handlers: EffectHandlers,
    signal: AbortSignal
  ) {
    const client = connect({ ...found, client: 'vscode', rediscover: () => this.#find(folders) })
    this.#forget()
    this.#client = client
    let queue = Promise.resolve()
    const frontEnd = client.registerFrontEnd(handlers, {
      client_id: this.clientId,
      types: EVENT_TYPES,
      signal,
      // One after another: a decision must not be overtaken by the call that it decides.
      onEvent: event => {
        queue = queue.then(() => this.#apply(event, client, signal))
      },
      onDisconnect: () => this.#setState({ state: 'lost' })
    })
    await frontEnd.closed
  }

  /** Finds the server of the first folder that has one. */
  async #find(folders: readonly string[]): Promise<DiscoveredServer | undefined> {
    for (const project of folders) {
      const found = await discover({ env: this.#getEnvironment(), project })
      if (found) return found
    }
    return undefined
  }

  async #apply(event: Event, client: Client, signal: AbortSignal) {
    if (signal.aborted) return
    try {
      if (event.type === 'stream.snapshot') await this.#readServer(client)
      await this.calls.apply(event, client)
      if (event.type === 'stream.snapshot' || event.type === 'stream.gap' || event.type === 'session.mode')
        await this.modes.load(client)
    } catch {
      // The connection was lost meanwhile: the next snapshot has everything.
    }
    if (signal.aborted) return
    if (!JOB_EVENTS.has(event.type)) this.#loadRecent.request()
    if (!CALL_EVENTS.has(event.type)) this.#loadJobs.request()
  }

  async #readServer(client: Client) {
    const { workspaces } = (await client.capabilities()) as { workspaces: ServedWorkspace[] }
    this.#workspaces = [...workspaces].sort((a, b) => b.root.length - a.root.length)
    this.#setState({ state: 'live' })
    this.connected.notify()
  }

  #forget() {
    this.#client = undefined
    this.#workspaces = []
    this.calls.clear()
    this.jobs.clear()
    this.recent.clear()
  }

  #setState(state: ConnectionState) {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return
    this.#state = state
    this.stateChanged.notify()
  }

  #delay(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, RETRY_MS)
      signal.addEventListener('abort', end)
      this.#wake = end
    })
  }
}

const JOB_EVENTS = new Set(['job.started', 'job.exited', 'file.changed', 'session.mode'])
const CALL_EVENTS = new Set(['tool.call', 'tool.decision', 'tool.result', 'file.changed', 'session.mode'])

function describeFailure(error: unknown): ConnectionState {
  if (!(error instanceof ToolgateError)) return { state: 'off', reason: (error as Error).message }
  const isRefused = error.status >= 400 && error.status < 500 && error.status !== 401
  return isRefused ? { state: 'refused', reason: error.message } : { state: 'lost' }
}
