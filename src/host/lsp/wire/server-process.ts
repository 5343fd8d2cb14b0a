// A language server's process, and what goes to and fro between it and us: everything it asks is answered, and whatever
// ends it is told to all who wait for it.
import { setTimeout } from 'node:timers/promises'
import type { WorkspaceFolder } from 'vscode-languageserver-protocol'
import { ToolError } from '../../../errors.ts'
import type { Resident } from '../../processes/long-lived-process.ts'
import { KILL_GRACE_MS } from '../../processes/spawner/child-handle.ts'
import type { Launch } from '../servers/launch-config.ts'
import type { LanguageServer } from '../servers/server-definition.ts'
import { uriOf } from './file-uris.ts'
import { Connection } from './lsp-connection.ts'
import type { NotificationMethod, Params, RequestMethod, Result } from './protocol.ts'
import { Registrations } from './registrations.ts'
import { sectionOf } from './settings.ts'

const STDERR_CHARACTERS = 4_000
/** How long it may take to end by itself. */
const SHUTDOWN_MS = 1_000

/** Codes of the protocol: the text has changed meanwhile, or the server gave up for the moment. */
const AGAIN: ReadonlySet<number> = new Set([-32_801, -32_802])
const TRIES = 5
const AGAIN_MS = 50
const MOST_MESSAGE = 1_000

/** How a server came to its end. */
export interface Ending {
  exit_code: number | null
  signal: string | null
  /** The last of what it said. */
  stderr: string
  /** Why we ended it; undefined where it ended by itself. */
  why?: string | undefined
  /** It was no longer needed. */
  stopped?: true
}

interface PeerOptions {
  launch: Launch
  /** Absolute path of the project's folder. */
  folder: string
  started: Resident
  /** Hears what it tells by itself. */
  told(method: string, params: unknown): void
}

export class Peer {
  readonly registrations = new Registrations(() => this.#options.told('registered', undefined))
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<Ending>
  readonly pid: number
  readonly #options: PeerOptions
  /** Once it has ended. */
  #over: ToolError | undefined
  #connection: Connection | undefined
  #stderr = ''
  #why: string | undefined
  #stopped = false

  static async over(options: PeerOptions): Promise<Peer> {
    const peer = new Peer(options)
    peer.#connection = await Connection.over(options.started.spawned, {
      asked: (method, params) => peer.#asked(method, params),
      told: (method, params) => options.told(method, params),
      broken: why => peer.kill(why)
    })
    return peer
  }

  private constructor(options: PeerOptions) {
    const { spawned } = options.started
    this.#options = options
    this.pid = spawned.pid
    spawned.stderr.setEncoding('utf8').on('data', text => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS)
    })
    this.ended = this.#end()
  }

  get isOver(): boolean {
    return this.#over !== undefined
  }

  /** Rejects with LSP_UNAVAILABLE once the server has ended, and with the signal's reason. */
  async request<M extends RequestMethod>(method: M, params: Params<M>, signal: AbortSignal): Promise<Result<M>> {
    if (this.#over) throw this.#over
    for (let tries = 1; ; tries++)
      try {
        return await this.#connection!.request<Result<M>>(method, params, signal)
      } catch (error) {
        // Every answer still out was refused when it ended.
        if (this.#over) throw this.#over
        signal.throwIfAborted()
        const code = (error as { code?: unknown }).code
        if (typeof code !== 'number') throw error
        if (!AGAIN.has(code) || tries === TRIES) throw this.#refused(method, code, (error as Error).message)
        await setTimeout(AGAIN_MS * tries, undefined, { signal }).catch(() => signal.throwIfAborted())
      }
  }

  #refused(method: string, code: number, message: string): ToolError {
    const { name } = this.#options.launch.server
    return new ToolError('EXECUTION_ERROR', `${name}: ${message.slice(0, MOST_MESSAGE).toWellFormed()}`, {
      server: name,
      method,
      code
    })
  }

  notify<M extends NotificationMethod>(method: M, params: Params<M>) {
    if (!this.isOver) this.#connection!.notify(method, params)
  }

  /** Ends it at once. */
  kill(why: string) {
    this.#why ??= why
    this.#options.started.spawned.kill(0)
  }

  /** Asks it to end, and ends it where it does not. */
  async stop(why: string): Promise<void> {
    if (this.isOver) return
    this.#why ??= why
    this.#stopped = true
    await this.request('shutdown', undefined, AbortSignal.timeout(SHUTDOWN_MS)).catch(() => {})
    this.notify('exit', undefined)
    this.#options.started.spawned.kill(KILL_GRACE_MS)
    await this.ended
  }

  async #end(): Promise<Ending> {
    const { exit_code, signal, out_of_memory } = await this.#options.started.ended
    if (out_of_memory) this.#why ??= 'it took more memory than it may'
    const ending: Ending = {
      exit_code,
      signal,
      stderr: this.#stderr.trim(),
      why: this.#why,
      ...(this.#stopped && { stopped: true })
    }
    this.#over = overFor(this.#options.launch.server, ending)
    this.#connection?.close()
    return ending
  }

  #asked(method: string, params: unknown): unknown {
    const answers: Readonly<Record<string, Answer<never, unknown> | undefined>> = ANSWERS
    return answers[method]?.(params as never, this.#options, this.registrations) ?? null
  }
}

type Answer<P, R> = (params: P, options: PeerOptions, registrations: Registrations) => R

/** What is not here gets null for an answer: a server may end itself for a fault. */
const ANSWERS: { readonly [M in RequestMethod]?: Answer<Params<M>, Result<M>> } = {
  'client/registerCapability': (params, _options, registrations) => registrations.add(params),
  'client/unregisterCapability': (params, _options, registrations) => registrations.remove(params),
  'workspace/configuration': ({ items = [] }, { launch }) =>
    items.map(({ section }) => sectionOf(launch.settings, section)),
  'workspace/workspaceFolders': (_params, { folder }) => [folderOf(folder)],
  'workspace/applyEdit': () => ({ applied: false, failureReason: 'Nothing is changed by a server itself.' })
}

export const folderOf = (folder: string): WorkspaceFolder => ({
  uri: uriOf(folder),
  name: folder.slice(folder.lastIndexOf('/') + 1)
})

/** What those are told who waited for an answer. */
export function overFor({ name, install }: LanguageServer, { exit_code, signal, stderr, why }: Ending): ToolError {
  const how = why ?? (signal ? `it was ended by ${signal}` : `it ended by itself with code ${exit_code}`)
  return new ToolError('LSP_UNAVAILABLE', `The language server ${name} does not answer: ${how}.`, {
    server: name,
    exit_code,
    signal,
    ...(stderr && { stderr }),
    install
  })
}
