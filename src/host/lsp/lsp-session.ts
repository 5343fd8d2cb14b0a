// One session of an initialized language server: its open documents, its diagnostics, and requests to it.
import { join } from 'node:path'
import type {
  DiagnosticOptions,
  InitializeParams,
  InitializeResult,
  ServerCapabilities,
  Diagnostic as ServerDiagnostic
} from 'vscode-languageserver-protocol'
import { ToolError } from '../../errors.ts'
import { relativeToRoot } from '../../text/root-path.ts'
import type { LongLivedProcess } from '../processes/long-lived-process.ts'
import type { Workspace } from '../workspace.ts'
import { type Budgets, Deadlines } from './deadlines.ts'
import { DiagnosticsCollector } from './diagnostics-collector.ts'
import type { DocumentTextProvider } from './document-text-provider.ts'
import { Documents } from './documents.ts'
import { FILE_CHANGE_TYPES, type FileEvent, type PendingFileEvent, PendingFileEvents } from './pending-file-events.ts'
import { ReadinessTracker } from './readiness-tracker.ts'
import { type LaunchConfig, serversFor } from './servers/launch-config.ts'
import type { LanguageServerDefinition } from './servers/server-definition.ts'
import { CLIENT_CAPABILITIES } from './wire/client-capabilities.ts'
import { fileUriToPath, toFileUri } from './wire/file-uris.ts'
import type { PositionEncoding } from './wire/position-converter.ts'
import type { MethodParams, MethodResult, RequestMethod } from './wire/protocol.ts'
import { type ServerExit, ServerProcess, toExitError, toWorkspaceFolder } from './wire/server-process.ts'

/** Number of consecutive timeouts after which the server is considered hung. */
const MAX_CONSECUTIVE_TIMEOUTS = 3
/** Maximum number of changed files opened for the server; others it has to notice itself. */
const MAX_REFRESHED_FILES = 32
const MAX_VERSION_CHARACTERS = 100

interface LspSessionOptions {
  launch: LaunchConfig
  workspace: Workspace
  texts: DocumentTextProvider
  childProcess: LongLivedProcess
  timeouts: Budgets
  /** Receives published diagnostics. */
  onDiagnostics(session: LspSession, path: string, diagnostics: readonly ServerDiagnostic[]): void
  /** Resolves once all earlier file changes are recorded. */
  fileEventsSettled(): Promise<void>
}

export class LspSession {
  readonly documents: Documents
  readonly diagnostics: DiagnosticsCollector
  readonly readiness: ReadinessTracker
  readonly deadlines: Deadlines
  readonly capabilities: ServerCapabilities
  readonly encoding: PositionEncoding
  /** The server's version, if it reports one. */
  readonly version: string | undefined
  readonly #process: ServerProcess
  readonly #options: LspSessionOptions
  readonly #fileEvents: PendingFileEvents
  #timeouts = 0

  /** Rejects if the handshake fails; the server is then terminated. */
  static async start(options: LspSessionOptions, closing: AbortSignal): Promise<LspSession> {
    const { launch, workspace, childProcess, timeouts } = options
    const readiness = new ReadinessTracker(launch.server.readySignal)
    const projectFolder = join(workspace.root, launch.root)
    let session: LspSession | undefined
    const peer = await ServerProcess.create({
      launch,
      projectFolder,
      childProcess,
      onNotification(method, params) {
        readiness.onNotification(method, params)
        session?.diagnostics.onNotification(method, params)
      }
    })
    try {
      const signal = AbortSignal.any([closing, AbortSignal.timeout(timeouts.start_ms)])
      const result = await peer.request('initialize', createInitializeParams(launch, projectFolder), signal)
      session = new LspSession(peer, readiness, result, options)
      peer.notify('initialized', {})
      peer.notify('workspace/didChangeConfiguration', { settings: launch.settings })
      return session
    } catch (error) {
      peer.kill(`the server could not be started: ${(error as Error).message}`)
      throw toExitError(launch.server, await peer.ended)
    }
  }

  private constructor(
    peer: ServerProcess,
    readiness: ReadinessTracker,
    result: Partial<InitializeResult>,
    options: LspSessionOptions
  ) {
    const { texts, launch, workspace, onDiagnostics, timeouts } = options
    this.#process = peer
    this.#options = options
    this.#fileEvents = new PendingFileEvents(workspace.root)
    this.readiness = readiness
    this.deadlines = new Deadlines(timeouts, readiness)
    this.capabilities = result.capabilities ?? {}
    this.version = parseServerVersion(launch.server, result.serverInfo?.version)
    this.encoding = negotiatedEncoding(this.capabilities)
    this.documents = new Documents(texts, {
      notify: (method, params) => {
        peer.notify(method, params)
        if (method === 'textDocument/didOpen')
          readiness.documentOpened(() => this.#probe(params as MethodParams<'textDocument/didOpen'>))
      },
      languageIdOf: path => this.#languageIdOf(path) ?? 'plaintext',
      uriOf: path => toFileUri(`${workspace.root}/${path}`),
      encoding: this.encoding,
      sendsDidSave: wantsDidSave(this.capabilities)
    })
    this.diagnostics = new DiagnosticsCollector({
      documents: this.documents,
      readiness,
      pullOptions: () => this.#pullOptions,
      supportsPull: launch.server.diagnostics !== 'push',
      customRequests: launch.server.customRequests,
      request: (method, params, signal) => this.request(method, params, signal),
      uriToPath: uri => pathWithin(uri, workspace),
      onDiagnostics: (path, diagnostics) => onDiagnostics(this, path, diagnostics)
    })
  }

  get pid(): number {
    return this.#process.pid
  }

  /** Resolves when no process of it is left. */
  get ended(): Promise<ServerExit> {
    return this.#process.ended
  }

  /** Rejects with LSP_UNAVAILABLE once it has ended, with TIMEOUT after the deadline, and with the signal's reason. */
  async request<M extends RequestMethod>(
    method: M,
    params: MethodParams<M>,
    signal: AbortSignal
  ): Promise<MethodResult<M>> {
    const deadline = this.deadlines.start(ms => this.#timeoutError(method, ms))
    try {
      const answer = await this.#process.request(method, params, AbortSignal.any([signal, deadline.signal]))
      this.deadlines.answered()
      this.#timeouts = 0
      return answer
    } catch (error) {
      // The time limit of a call says nothing of the server.
      if (!signal.aborted) this.#countTimeout(error)
      throw error
    } finally {
      deadline.cancel()
    }
  }

  /** Records a file change from any source. */
  recordFileEvent(path: string, event: FileEvent) {
    this.#fileEvents.add(path, event)
  }

  /** Sends all changes recorded before the call. */
  async syncFiles(): Promise<void> {
    await this.#options.fileEventsSettled()
    const changes = this.#fileEvents.drain()
    if (changes.length === 0) return
    this.documents.noteOtherChange()
    const wanted = this.#fileEvents.filterWatched(changes, this.#process.registrations.fileWatchers)
    const { root } = this.#options.workspace
    if (wanted.length > 0)
      this.#process.notify('workspace/didChangeWatchedFiles', {
        changes: wanted.map(({ path, event }) => ({
          uri: toFileUri(`${root}/${path}`),
          type: FILE_CHANGE_TYPES[event]
        }))
      })
    const shown = changes
      .filter(({ path, event }) => event !== 'deleted' && this.#languageIdOf(path) !== undefined)
      .slice(-MAX_REFRESHED_FILES)
    for (const { path } of shown) await this.documents.sync(path).catch(() => {})
    this.#reloadProjects(changes.filter(change => change.event !== 'changed' || !shown.includes(change)))
  }

  /** Shuts the server down, and kills it if it does not exit. */
  stop(why: string): Promise<void> {
    return this.#process.stop(why)
  }

  /** Kills it. */
  kill(why: string) {
    this.#process.kill(why)
  }

  /** Resolves once the server has processed an opened document. */
  async #probe({ textDocument: { uri } }: MethodParams<'textDocument/didOpen'>) {
    if (!this.capabilities.documentSymbolProvider) return
    const signal = AbortSignal.timeout(this.#options.timeouts.start_ms)
    await this.#process.request('textDocument/documentSymbol', { textDocument: { uri } }, signal)
  }

  /** Has the server read its projects again, if they may depend on these changes. It does so before it answers later requests. */
  #reloadProjects(changes: readonly PendingFileEvent[]) {
    const { reload } = this.#options.launch.server
    const isDependency = ({ path }: PendingFileEvent) =>
      this.#languageIdOf(path) !== undefined || reload?.dependsOn.some(suffix => path.endsWith(suffix))
    if (!reload || !changes.some(isDependency)) return
    const { method, params } = reload.request
    void this.request(method, params, new AbortController().signal).catch(() => {})
  }

  get #pullOptions(): DiagnosticOptions | undefined {
    return this.#process.registrations.pullOptions ?? this.capabilities.diagnosticProvider
  }

  #languageIdOf(path: string): string | undefined {
    return serversFor(path, [this.#options.launch.server])[0]?.language
  }

  #timeoutError(method: string, ms: number): ToolError {
    const { name } = this.#options.launch.server
    return new ToolError('TIMEOUT', `The language server ${name} did not answer within ${ms} ms.`, {
      server: name,
      method
    })
  }

  #countTimeout(error: unknown) {
    if (!(error instanceof ToolError && error.code === 'TIMEOUT')) return
    this.#timeouts += 1
    if (this.#timeouts >= MAX_CONSECUTIVE_TIMEOUTS)
      this.kill(`the server did not answer ${MAX_CONSECUTIVE_TIMEOUTS} times in a row`)
  }
}

function createInitializeParams({ initializationOptions, server }: LaunchConfig, folder: string): InitializeParams {
  const { experimental } = server
  return {
    // In a sandbox the server's pid is invisible, and a language server that misses its parent exits.
    processId: null,
    clientInfo: { name: 'toolgate' },
    rootUri: toFileUri(folder),
    rootPath: folder,
    workspaceFolders: [toWorkspaceFolder(folder)],
    capabilities: { ...CLIENT_CAPABILITIES, ...(experimental && { experimental }) },
    initializationOptions,
    trace: 'off',
    locale: 'en'
  }
}

function parseServerVersion(
  { parseVersion }: LanguageServerDefinition,
  reported: string | undefined
): string | undefined {
  if (reported === undefined) return undefined
  return (parseVersion ? parseVersion(reported) : reported)?.slice(0, MAX_VERSION_CHARACTERS)
}

const negotiatedEncoding = ({ positionEncoding }: ServerCapabilities): PositionEncoding =>
  positionEncoding === 'utf-8' || positionEncoding === 'utf-32' ? positionEncoding : 'utf-16'

const wantsDidSave = ({ textDocumentSync: sync }: ServerCapabilities): boolean =>
  typeof sync === 'object' && sync.save !== undefined && sync.save !== false

function pathWithin(uri: string, workspace: Workspace): string | undefined {
  const absolute = fileUriToPath(uri)
  return absolute === undefined ? undefined : relativeToRoot(workspace, absolute)
}
