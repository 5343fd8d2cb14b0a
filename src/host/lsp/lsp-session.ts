// One run of a language server that has been told of its project: what it has open, what it finds, and asking it.
import { join } from 'node:path'
import type {
  DiagnosticOptions,
  InitializeParams,
  InitializeResult,
  ServerCapabilities,
  Diagnostic as ServerDiagnostic
} from 'vscode-languageserver-protocol'
import { ToolError } from '../../errors.ts'
import type { Workspace } from '../host.ts'
import type { Resident } from '../processes/long-lived-process.ts'
import { type Budgets, Deadlines } from './deadlines.ts'
import { Findings } from './diagnostics-collector.ts'
import type { Sources } from './document-text-provider.ts'
import { Documents } from './documents.ts'
import { EVENT_TYPES, type FileEvent, FilesToTell } from './pending-file-events.ts'
import { Readiness } from './readiness-tracker.ts'
import { type Launch, serversFor } from './servers/launch-config.ts'
import type { LanguageServer } from './servers/server-definition.ts'
import { CLIENT_CAPABILITIES } from './wire/client-capabilities.ts'
import { pathOfUri, uriOf, within } from './wire/file-uris.ts'
import type { Units } from './wire/position-converter.ts'
import type { Params, RequestMethod, Result } from './wire/protocol.ts'
import { type Ending, folderOf, overFor, Peer } from './wire/server-process.ts'

/** So many in a row, and it is taken to hang. */
const MOST_TIMEOUTS = 3
/** Files changed since it runs that it is shown, rather than left to notice. */
const MOST_SHOWN = 32
const LONGEST_VERSION = 100

interface SessionOptions {
  launch: Launch
  workspace: Workspace
  sources: Sources
  started: Resident
  budgets: Budgets
  /** Hears what it finds. */
  hear(session: Session, path: string, diagnostics: readonly ServerDiagnostic[]): void
  /** Resolves once all changes of files that were made before are noted. */
  settled(): Promise<void>
}

export class Session {
  readonly documents: Documents
  readonly findings: Findings
  readonly readiness: Readiness
  readonly deadlines: Deadlines
  readonly capabilities: ServerCapabilities
  readonly units: Units
  /** The server's own, where it tells. */
  readonly version: string | undefined
  readonly #peer: Peer
  readonly #options: SessionOptions
  readonly #files: FilesToTell
  #timeouts = 0

  /** Rejects where it cannot be spoken with; nothing is left of it then. */
  static async begin(options: SessionOptions, closing: AbortSignal): Promise<Session> {
    const { launch, workspace, started, budgets } = options
    const readiness = new Readiness(launch.server.ready)
    const folder = join(workspace.root, launch.root)
    let session: Session | undefined
    const peer = await Peer.over({
      launch,
      folder,
      started,
      told(method, params) {
        readiness.told(method, params)
        session?.findings.told(method, params)
      }
    })
    try {
      const signal = AbortSignal.any([closing, AbortSignal.timeout(budgets.start_ms)])
      const result = await peer.request('initialize', initializing(launch, folder), signal)
      session = new Session(peer, readiness, result, options)
      peer.notify('initialized', {})
      peer.notify('workspace/didChangeConfiguration', { settings: launch.settings })
      return session
    } catch (error) {
      peer.kill(`it could not be started: ${(error as Error).message}`)
      throw overFor(launch.server, await peer.ended)
    }
  }

  private constructor(peer: Peer, readiness: Readiness, result: Partial<InitializeResult>, options: SessionOptions) {
    const { sources, launch, workspace, hear, budgets } = options
    this.#peer = peer
    this.#options = options
    this.#files = new FilesToTell(workspace.root)
    this.readiness = readiness
    this.deadlines = new Deadlines(budgets, readiness)
    this.capabilities = result.capabilities ?? {}
    this.version = versionOf(launch.server, result.serverInfo?.version)
    this.units = unitsOf(this.capabilities)
    this.documents = new Documents(sources, {
      notify(method, params) {
        peer.notify(method, params)
        readiness.shown()
      },
      languageOf: path => this.#languageOf(path) ?? 'plaintext',
      uriOf: path => uriOf(`${workspace.root}/${path}`),
      units: this.units,
      saves: savesOf(this.capabilities)
    })
    this.findings = new Findings({
      documents: this.documents,
      readiness,
      pull: () => this.#pull,
      answers: launch.server.diagnostics !== 'push',
      inquiry: launch.server.inquiry,
      request: (method, params, signal) => this.request(method, params, signal),
      pathOf: uri => pathWithin(uri, workspace),
      hear: (path, diagnostics) => hear(this, path, diagnostics)
    })
  }

  get pid(): number {
    return this.#peer.pid
  }

  /** Resolves when nothing of it is left. */
  get ended(): Promise<Ending> {
    return this.#peer.ended
  }

  /** Rejects with LSP_UNAVAILABLE once it has ended, with TIMEOUT where it takes too long, and with the signal's reason. */
  async request<M extends RequestMethod>(method: M, params: Params<M>, signal: AbortSignal): Promise<Result<M>> {
    const deadline = this.deadlines.start(ms => this.#tooLate(method, ms))
    try {
      const answer = await this.#peer.request(method, params, AbortSignal.any([signal, deadline.signal]))
      this.deadlines.answered()
      this.#timeouts = 0
      return answer
    } catch (error) {
      this.#countTimeout(error)
      throw error
    } finally {
      deadline.cancel()
    }
  }

  /** A file has changed, whoever did it. */
  changed(path: string, event: FileEvent) {
    this.#files.note(path, event)
  }

  /** Tells it of all that has changed before this was called. */
  async catchUp(): Promise<void> {
    await this.#options.settled()
    const changes = this.#files.take()
    if (changes.length === 0) return
    this.documents.changedElsewhere()
    const wanted = this.#files.wanted(changes, this.#peer.registrations.watches)
    const { root } = this.#options.workspace
    if (wanted.length > 0)
      this.#peer.notify('workspace/didChangeWatchedFiles', {
        changes: wanted.map(({ path, event }) => ({ uri: uriOf(`${root}/${path}`), type: EVENT_TYPES[event] }))
      })
    const shown = changes.filter(({ path, event }) => event !== 'deleted' && this.#languageOf(path) !== undefined)
    for (const { path } of shown.slice(-MOST_SHOWN)) await this.documents.sync(path).catch(() => {})
  }

  /** Asks it to end, and ends it where it does not. */
  stop(why: string): Promise<void> {
    return this.#peer.stop(why)
  }

  /** Ends it at once. */
  kill(why: string) {
    this.#peer.kill(why)
  }

  get #pull(): DiagnosticOptions | undefined {
    return this.#peer.registrations.pull ?? this.capabilities.diagnosticProvider
  }

  #languageOf(path: string): string | undefined {
    return serversFor(path, [this.#options.launch.server])[0]?.language
  }

  #tooLate(method: string, ms: number): ToolError {
    const { name } = this.#options.launch.server
    return new ToolError('TIMEOUT', `The language server ${name} has not answered within ${ms} ms.`, {
      server: name,
      method
    })
  }

  #countTimeout(error: unknown) {
    if (!(error instanceof ToolError && error.code === 'TIMEOUT')) return
    this.#timeouts += 1
    if (this.#timeouts >= MOST_TIMEOUTS) this.kill(`it has not answered ${MOST_TIMEOUTS} times in a row`)
  }
}

function initializing({ options, server }: Launch, folder: string): InitializeParams {
  const { experimental } = server
  return {
    // In a sandbox our own process is not seen, and a server that misses it ends.
    processId: null,
    clientInfo: { name: 'toolgate' },
    rootUri: uriOf(folder),
    rootPath: folder,
    workspaceFolders: [folderOf(folder)],
    capabilities: { ...CLIENT_CAPABILITIES, ...(experimental && { experimental }) },
    initializationOptions: options,
    trace: 'off',
    locale: 'en'
  }
}

function versionOf({ version }: LanguageServer, told: string | undefined): string | undefined {
  if (told === undefined) return undefined
  return (version ? version(told) : told)?.slice(0, LONGEST_VERSION)
}

const unitsOf = ({ positionEncoding }: ServerCapabilities): Units =>
  positionEncoding === 'utf-8' || positionEncoding === 'utf-32' ? positionEncoding : 'utf-16'

const savesOf = ({ textDocumentSync: sync }: ServerCapabilities): boolean =>
  typeof sync === 'object' && sync.save !== undefined && sync.save !== false

function pathWithin(uri: string, { root }: Workspace): string | undefined {
  const absolute = pathOfUri(uri)
  return absolute === undefined ? undefined : within(root, absolute)
}
