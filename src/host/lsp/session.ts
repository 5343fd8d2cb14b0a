// One run of a language server that has been told of its project and has open what was asked about.
import type { Workspace } from '../host.ts'
import {
  CLIENT_CAPABILITIES,
  type DiagnosticOptions,
  type InitializeResult,
  type ServerCapabilities
} from './capabilities.ts'
import { Documents } from './documents.ts'
import { type Launch, serversFor } from './launch.ts'
import { type Ending, folderOf, overFor, Peer } from './peer.ts'
import type { Units } from './positions.ts'
import { Readiness } from './readiness.ts'
import type { Sources } from './sources.ts'
import type { Started } from './start-server.ts'
import { uriOf } from './uris.ts'

export interface SessionOptions {
  launch: Launch
  workspace: Workspace
  sources: Sources
  started: Started
}

export class Session {
  readonly documents: Documents
  readonly readiness: Readiness
  readonly capabilities: ServerCapabilities
  readonly units: Units
  /** The server's own, where it tells. */
  readonly version: string | undefined
  readonly #peer: Peer

  /** Rejects where it cannot be spoken with; nothing is left of it then. */
  static async begin(options: SessionOptions, signal: AbortSignal): Promise<Session> {
    const { launch, workspace, started } = options
    const readiness = new Readiness(launch.server.ready)
    const folder = launch.root === '.' ? workspace.root : `${workspace.root}/${launch.root}`
    const peer = await Peer.over({
      launch,
      folder,
      started,
      told: (method, params) => readiness.told(method, params)
    })
    try {
      const result = await peer.request<InitializeResult>('initialize', initializing(launch, folder), signal)
      peer.notify('initialized', {})
      peer.notify('workspace/didChangeConfiguration', { settings: launch.settings })
      return new Session(peer, readiness, result, options)
    } catch (error) {
      peer.kill(`it could not be started: ${(error as Error).message}`)
      throw overFor(launch.server.name, await peer.ended)
    }
  }

  private constructor(peer: Peer, readiness: Readiness, result: InitializeResult, options: SessionOptions) {
    const { sources, launch, workspace } = options
    this.#peer = peer
    this.readiness = readiness
    this.capabilities = result.capabilities ?? {}
    this.version = result.serverInfo?.version
    this.units = unitsOf(this.capabilities)
    this.documents = new Documents(sources, {
      notify: (method, params) => peer.notify(method, params),
      languageOf: path => serversFor(path, [launch.server])[0]?.language ?? 'plaintext',
      uriOf: path => uriOf(`${workspace.root}/${path}`),
      units: this.units
    })
  }

  get pid(): number {
    return this.#peer.pid
  }

  /** Resolves when nothing of it is left. */
  get ended(): Promise<Ending> {
    return this.#peer.ended
  }

  get isOver(): boolean {
    return this.#peer.isOver
  }

  /** How it can be asked for diagnostics; undefined where it cannot. */
  get pull(): DiagnosticOptions | undefined {
    return this.#peer.registrations.pull ?? this.capabilities.diagnosticProvider
  }

  /** Rejects with LSP_UNAVAILABLE once it has ended, and with the signal's reason. */
  request<T>(method: string, params: unknown, signal: AbortSignal): Promise<T> {
    return this.#peer.request<T>(method, params, signal)
  }

  notify(method: string, params: unknown) {
    this.#peer.notify(method, params)
  }

  /** Asks it to end, and ends it where it does not. */
  stop(why: string): Promise<void> {
    return this.#peer.stop(why)
  }

  /** Ends it at once. */
  kill(why: string) {
    this.#peer.kill(why)
  }
}

function initializing({ options }: Launch, folder: string) {
  const { uri, name } = folderOf(folder)
  return {
    // In a sandbox our own process is not seen, and a server that misses it ends.
    processId: null,
    clientInfo: { name: 'toolgate' },
    rootUri: uri,
    rootPath: folder,
    workspaceFolders: [{ uri, name }],
    capabilities: CLIENT_CAPABILITIES,
    initializationOptions: options,
    trace: 'off',
    locale: 'en'
  }
}

const unitsOf = ({ positionEncoding }: ServerCapabilities): Units =>
  positionEncoding === 'utf-8' || positionEncoding === 'utf-32' ? positionEncoding : 'utf-16'
