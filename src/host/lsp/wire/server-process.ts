// Process of a language server and its connection: every request of the server is answered, and its exit is reported to all
// waiting requests.
import { setTimeout } from 'node:timers/promises'
import type { WorkspaceFolder } from 'vscode-languageserver-protocol'
import { ToolError } from '../../../errors.ts'
import type { LongLivedProcess } from '../../processes/long-lived-process.ts'
import { KILL_GRACE_MS } from '../../processes/spawner/child-handle.ts'
import type { LaunchConfig } from '../servers/launch-config.ts'
import type { LanguageServerDefinition } from '../servers/server-definition.ts'
import { toFileUri } from './file-uris.ts'
import { LspConnection } from './lsp-connection.ts'
import type { MethodParams, MethodResult, NotificationMethod, RequestMethod } from './protocol.ts'
import { Registrations } from './registrations.ts'
import { getSection } from './settings.ts'

const MAX_STDERR_CHARACTERS = 4_000
/** Time in milliseconds for a graceful shutdown. */
const SHUTDOWN_TIMEOUT_MS = 1_000

/** Protocol error codes ContentModified (-32801) and ServerCancelled (-32802). */
const RETRYABLE_ERROR_CODES: ReadonlySet<number> = new Set([-32_801, -32_802])
const MAX_ATTEMPTS = 5
const RETRY_DELAY_MS = 50
const MAX_ERROR_CHARACTERS = 1_000

/** Exit of a server. */
export interface ServerExit {
  exit_code: number | null
  signal: string | null
  /** The last lines of its error output. */
  stderr: string
  /** Reason why it was ended; undefined if it exited by itself. */
  reason?: string | undefined
  /** It was no longer needed. */
  wasStopped?: true
}

interface ServerProcessOptions {
  launch: LaunchConfig
  /** Absolute path of the project's folder. */
  projectFolder: string
  childProcess: LongLivedProcess
  /** Handles notifications of the server. */
  onNotification(method: string, params: unknown): void
}

export class ServerProcess {
  readonly registrations = new Registrations(() => this.#options.onNotification('registered', undefined))
  /** Resolves when no process of it is left. */
  readonly ended: Promise<ServerExit>
  readonly pid: number
  readonly #options: ServerProcessOptions
  /** Set once it has ended. */
  #exitError: ToolError | undefined
  #connection: LspConnection | undefined
  #stderr = ''
  #exitReason: string | undefined
  #wasStopped = false

  static async create(options: ServerProcessOptions): Promise<ServerProcess> {
    const peer = new ServerProcess(options)
    peer.#connection = await LspConnection.create(options.childProcess.spawned, {
      onRequest: (method, params) => peer.#handleRequest(method, params),
      onNotification: (method, params) => options.onNotification(method, params),
      onFatalError: why => peer.kill(why)
    })
    return peer
  }

  private constructor(options: ServerProcessOptions) {
    const { spawned } = options.childProcess
    this.#options = options
    this.pid = spawned.pid
    spawned.stderr.setEncoding('utf8').on('data', text => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR_CHARACTERS)
    })
    this.ended = this.#waitForExit()
  }

  get hasExited(): boolean {
    return this.#exitError !== undefined
  }

  /** Rejects with LSP_UNAVAILABLE once the server has ended, and with the signal's reason. */
  async request<M extends RequestMethod>(
    method: M,
    params: MethodParams<M>,
    signal: AbortSignal
  ): Promise<MethodResult<M>> {
    if (this.#exitError) throw this.#exitError
    for (let tries = 1; ; tries++)
      try {
        return await this.#connection!.request<MethodResult<M>>(method, params, signal)
      } catch (error) {
        // All in-flight requests were rejected when it ended.
        if (this.#exitError) throw this.#exitError
        signal.throwIfAborted()
        const code = (error as { code?: unknown }).code
        if (typeof code !== 'number') throw error
        if (!RETRYABLE_ERROR_CODES.has(code) || tries === MAX_ATTEMPTS)
          throw this.#requestError(method, code, (error as Error).message)
        await setTimeout(RETRY_DELAY_MS * tries, undefined, { signal }).catch(() => signal.throwIfAborted())
      }
  }

  #requestError(method: string, code: number, message: string): ToolError {
    const { name } = this.#options.launch.server
    return new ToolError('EXECUTION_ERROR', `${name}: ${message.slice(0, MAX_ERROR_CHARACTERS).toWellFormed()}`, {
      server: name,
      method,
      code
    })
  }

  notify<M extends NotificationMethod>(method: M, params: MethodParams<M>) {
    if (!this.hasExited) this.#connection!.notify(method, params)
  }

  /** Kills it. */
  kill(why: string) {
    this.#exitReason ??= why
    this.#options.childProcess.spawned.kill(0)
  }

  /** Shuts it down, and kills it if it does not exit. */
  async stop(why: string): Promise<void> {
    if (this.hasExited) return
    this.#exitReason ??= why
    this.#wasStopped = true
    await this.request('shutdown', undefined, AbortSignal.timeout(SHUTDOWN_TIMEOUT_MS)).catch(() => {})
    this.notify('exit', undefined)
    this.#options.childProcess.spawned.kill(KILL_GRACE_MS)
    await this.ended
  }

  async #waitForExit(): Promise<ServerExit> {
    const { exit_code, signal, out_of_memory } = await this.#options.childProcess.ended
    if (out_of_memory) this.#exitReason ??= 'the server exceeded its memory limit'
    const ending: ServerExit = {
      exit_code,
      signal,
      stderr: this.#stderr.trim(),
      reason: this.#exitReason,
      ...(this.#wasStopped && { wasStopped: true })
    }
    this.#exitError = toExitError(this.#options.launch.server, ending)
    this.#connection?.close()
    return ending
  }

  #handleRequest(method: string, params: unknown): unknown {
    const answers: Readonly<Record<string, RequestHandler<never, unknown> | undefined>> = REQUEST_HANDLERS
    return answers[method]?.(params as never, this.#options, this.registrations) ?? null
  }
}

type RequestHandler<P, R> = (params: P, options: ServerProcessOptions, registrations: Registrations) => R

/** Unsupported requests are answered with null: a server may terminate on an error. */
const REQUEST_HANDLERS: { readonly [M in RequestMethod]?: RequestHandler<MethodParams<M>, MethodResult<M>> } = {
  'client/registerCapability': (params, _options, registrations) => registrations.add(params),
  'client/unregisterCapability': (params, _options, registrations) => registrations.remove(params),
  'workspace/configuration': ({ items = [] }, { launch }) =>
    items.map(({ section }) => getSection(launch.settings, section)),
  'workspace/workspaceFolders': (_params, { projectFolder }) => [toWorkspaceFolder(projectFolder)],
  'window/workDoneProgress/create': (params, { onNotification }) =>
    onNotification('window/workDoneProgress/create', params),
  'workspace/applyEdit': () => ({ applied: false, failureReason: 'Language servers cannot change files themselves.' })
}

export const toWorkspaceFolder = (folder: string): WorkspaceFolder => ({
  uri: toFileUri(folder),
  name: folder.slice(folder.lastIndexOf('/') + 1)
})

/** Creates the error for requests that were in flight. */
export function toExitError(
  { name, install }: LanguageServerDefinition,
  { exit_code, signal, stderr, reason }: ServerExit
): ToolError {
  const how = reason ?? (signal ? `the server was killed by ${signal}` : `the server exited with code ${exit_code}`)
  return new ToolError('LSP_UNAVAILABLE', `The language server ${name} does not answer: ${how}.`, {
    server: name,
    exit_code,
    signal,
    ...(stderr && { stderr }),
    install
  })
}
