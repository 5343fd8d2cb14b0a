// Pool of running language servers: one for each server and project, shared by all calls and sessions.
import type { Diagnostic as ServerDiagnostic } from 'vscode-languageserver-protocol'
import type { Config } from '../../config/schema.ts'
import { ToolError } from '../../errors.ts'
import type { Change } from '../change.ts'
import type { EditorBuffers } from '../editors/editor-buffers.ts'
import type { Effects } from '../effects.ts'
import type { PathGuard } from '../files/policy/path-policy.ts'
import { searchPathOutside } from '../processes/search-path.ts'
import type { Workspace } from '../workspace.ts'
import { dependencyFingerprint } from './dependency-fingerprint.ts'
import { DocumentTextProvider } from './document-text-provider.ts'
import { FileEventSource } from './file-event-source.ts'
import type { FileDiagnostics, LanguageServerState, LanguageServers, LanguageService } from './language-service.ts'
import { LocationConverter } from './location-converter.ts'
import { LspSession } from './lsp-session.ts'
import type { FileEvent } from './pending-file-events.ts'
import { processTreeMemory } from './process-tree-memory.ts'
import { ProjectServer } from './project-server.ts'
import { ResourceLimiter } from './resource-limiter.ts'
import { type LaunchConfig, type LaunchEnvironment, serversFor } from './servers/launch-config.ts'
import { createLaunchEnvironment } from './servers/launch-environment.ts'
import {
  applyOverrides,
  findCandidates,
  firstLaunchConfig,
  noServerError,
  type ServerCandidate
} from './servers/select-server.ts'
import type { LanguageServerDefinition } from './servers/server-definition.ts'
import { LANGUAGE_SERVERS } from './servers/servers.ts'
import { type LanguageServerStarter, startLanguageServer } from './servers/start-language-server.ts'
import { toDiagnostic } from './to-diagnostic.ts'
import type { WatchedWorkspace, WorkspaceContext } from './watched-workspace.ts'
import { toFileUri } from './wire/file-uris.ts'
import { WorkspaceLanguageService } from './workspace-language-service.ts'

interface LanguageServerPoolOptions extends LanguageServerStarter {
  workspaces: ReadonlyMap<string, WatchedWorkspace>
  guard: PathGuard
  buffers: EditorBuffers
  settings: Config['language_servers']
}

interface TrackedWorkspace extends WorkspaceContext {
  fileEvents: FileEventSource
}

/** Lifetime of a server selection in milliseconds: project markers may have been added or removed since. */
const CHOICE_TTL_MS = 5_000
const MAX_CACHED_CHOICES = 10_000
const DISABLED_MESSAGE = 'Language servers are disabled: `language_servers.enabled` is false.'

export class LanguageServerPool implements LanguageServers {
  readonly #options: LanguageServerPoolOptions
  readonly #definitions: readonly LanguageServerDefinition[]
  readonly #servers = new Map<string, ProjectServer>()
  readonly #tracked = new Map<string, TrackedWorkspace>()
  readonly #serverCache = new Map<string, { server: ProjectServer; until: number }>()
  readonly #listeners: ((finding: FileDiagnostics) => void)[] = []
  readonly #closing = new AbortController()
  readonly #limiter: ResourceLimiter
  #isolationLevel: 'read-only' | undefined
  #searchPathCache = { folders: '', until: 0 }

  constructor(options: LanguageServerPoolOptions) {
    this.#options = options
    this.#definitions = applyOverrides(LANGUAGE_SERVERS, options.settings.servers)
    this.#limiter = new ResourceLimiter(() => this.#servers.values(), options.settings)
  }

  /** Returns the language service of one call. */
  forCall(workspace: Workspace, effects: Pick<Effects, 'signal' | 'commitIntent'>): LanguageService {
    return new WorkspaceLanguageService(this, this.track(workspace.name), effects)
  }

  async isolationLevel(): Promise<'read-only' | undefined> {
    const states = await this.#options.sandbox.states()
    this.#isolationLevel = states.some(({ level, holds }) => level === 'read-only' && holds) ? 'read-only' : undefined
    return this.#isolationLevel
  }

  get settings(): Config['language_servers'] {
    return this.#options.settings
  }

  get definitions(): readonly LanguageServerDefinition[] {
    return this.#definitions
  }

  /** Returns the server for a file, running or not. Throws LSP_UNAVAILABLE if there is none. */
  async serverFor(workspace: Workspace, path: string, environment?: LaunchEnvironment): Promise<ProjectServer> {
    this.#assertEnabled()
    const key = JSON.stringify([workspace.name, path])
    const chosen = this.#serverCache.get(key)
    if (chosen && chosen.until > performance.now()) return chosen.server
    const isolation = await this.isolationLevel()
    const server = this.#resolveServer(workspace, path, environment ?? this.launchEnvironment(workspace), isolation)
    this.#serverCache.delete(key)
    this.#serverCache.set(key, { server, until: performance.now() + CHOICE_TTL_MS })
    for (const oldest of this.#serverCache.keys()) {
      if (this.#serverCache.size <= MAX_CACHED_CHOICES) break
      this.#serverCache.delete(oldest)
    }
    return server
  }

  /** Throws LSP_UNAVAILABLE if no server for a file is installed. Starts none. */
  async assertInstalled(workspace: Workspace, path: string): Promise<void> {
    this.#assertEnabled()
    await this.isolationLevel()
    const environment = this.launchEnvironment(workspace)
    const choices = findCandidates(path, this.#definitions, environment)
    const isKnown = choices.some(choice => this.#servers.has(serverKey(workspace, choice)))
    if (!isKnown && !firstLaunchConfig(choices, environment)) throw noServerError(path, this.#definitions)
  }

  #assertEnabled() {
    if (this.#options.settings.enabled) return
    throw new ToolError('LSP_UNAVAILABLE', DISABLED_MESSAGE, undefined, { recoverable: false })
  }

  /** Returns the current launch environment of a workspace. */
  launchEnvironment(workspace: Workspace): LaunchEnvironment {
    return createLaunchEnvironment(workspace, this.#searchPath(), this.#isolationLevel !== undefined)
  }

  /** Returns the search path. Links change rarely, and are not resolved more often. */
  #searchPath(): string {
    const { environment, roots } = this.#options
    const now = performance.now()
    if (now >= this.#searchPathCache.until)
      this.#searchPathCache = { folders: searchPathOutside(roots, environment), until: now + CHOICE_TTL_MS }
    return this.#searchPathCache.folders
  }

  /** Returns the server for a file if it is running. */
  findRunning(workspace: Workspace, path: string): ProjectServer | undefined {
    if (this.#servers.size === 0) return undefined
    const choices = findCandidates(path, this.#definitions, this.launchEnvironment(workspace))
    return choices
      .flatMap(choice => this.#servers.get(serverKey(workspace, choice)) ?? [])
      .find(server => server.session)
  }

  /** Returns the servers of a workspace that have been started. */
  serversIn({ name }: Workspace): ProjectServer[] {
    return [...this.#servers.values()].filter(server => server.workspace === name)
  }

  states(): LanguageServerState[] {
    return [...this.#servers.values()].map(server => {
      const state = server.state()
      return state.pid === undefined ? state : { ...state, memory_bytes: processTreeMemory(state.pid) }
    })
  }

  onDiagnostics(listener: (finding: FileDiagnostics) => void) {
    this.#listeners.push(listener)
  }

  warm(workspace: string, paths: readonly string[]) {
    if (!this.#options.settings.warm) return
    const known = this.track(workspace)
    for (const path of paths)
      if (serversFor(path, this.#definitions).length > 0) void this.#warm(known.workspace, path).catch(() => {})
  }

  /** Records a change made by a call. */
  recordChange(workspace: Workspace, change: Change) {
    this.#tracked.get(workspace.name)?.fileEvents.recordOwnChange(change)
  }

  async close(): Promise<void> {
    this.#closing.abort(new ToolError('LSP_UNAVAILABLE', 'The server is shutting down.'))
    this.#limiter.close()
    for (const { fileEvents } of this.#tracked.values()) fileEvents.close()
    await Promise.all([...this.#servers.values()].map(server => server.stop('the server is shutting down')))
  }

  track(name: string): TrackedWorkspace {
    const known = this.#tracked.get(name)
    if (known) return known
    const workspace = this.#options.workspaces.get(name)!
    const fresh: TrackedWorkspace = {
      workspace,
      texts: new DocumentTextProvider(workspace, this.#options.guard, this.#options.buffers),
      fileEvents: new FileEventSource(workspace, (path, event) => this.#broadcastFileEvent(workspace, path, event))
    }
    this.#tracked.set(name, fresh)
    return fresh
  }

  #resolveServer(
    workspace: Workspace,
    path: string,
    environment: LaunchEnvironment,
    isolation: 'read-only' | undefined
  ): ProjectServer {
    const choices = findCandidates(path, this.#definitions, environment)
    for (const choice of choices) {
      const server = this.#servers.get(serverKey(workspace, choice))
      if (server) return server
      const launch = firstLaunchConfig([choice], environment)
      if (launch) return this.#addServer(workspace, launch, isolation)
    }
    throw noServerError(path, this.#definitions)
  }

  #addServer(workspace: Workspace, launch: LaunchConfig, isolation: 'read-only' | undefined): ProjectServer {
    const { dependencyPaths = [] } = launch.server
    const server: ProjectServer = new ProjectServer(
      workspace.name,
      launch,
      () => this.#startSession(workspace, server, isolation),
      () => dependencyFingerprint(workspace, launch.root, dependencyPaths)
    )
    this.#servers.set(serverKey(workspace, launch), server)
    return server
  }

  async #startSession(
    workspace: Workspace,
    server: ProjectServer,
    isolation: 'read-only' | undefined
  ): Promise<LspSession> {
    this.#closing.signal.throwIfAborted()
    const { settings } = this.#options
    const { texts, fileEvents } = this.track(workspace.name)
    await this.#limiter.makeRoom(server)
    fileEvents.start()
    const { launch } = server
    const childProcess = await startLanguageServer(launch, workspace, isolation, settings.memory_bytes, this.#options)
    return LspSession.start(
      {
        launch,
        workspace,
        texts,
        childProcess,
        timeouts: settings,
        fileEventsSettled: () => fileEvents.settled(),
        onDiagnostics: (session, path, found) => this.#publish(workspace, server, session, path, found)
      },
      this.#closing.signal
    )
  }

  async #warm(workspace: WatchedWorkspace, path: string): Promise<void> {
    if (!this.#options.settings.enabled || (await this.isolationLevel()) === undefined) return
    const server = await this.serverFor(workspace, path)
    // A server in use is not stopped for one without requests.
    const others = [...this.#servers.values()].filter(other => other !== server && other.isRunning)
    if (others.length >= this.#options.settings.max_servers) return
    if (!server.session) await server.withSession(session => session.documents.sync(path), this.#closing.signal)
  }

  #broadcastFileEvent(workspace: Workspace, path: string, event: FileEvent) {
    for (const server of this.serversIn(workspace)) server.session?.recordFileEvent(path, event)
  }

  #publish(
    workspace: Workspace,
    { launch }: ProjectServer,
    session: LspSession,
    path: string,
    found: readonly ServerDiagnostic[]
  ) {
    if (this.#listeners.length === 0) return
    const publish = (diagnostics: FileDiagnostics['diagnostics'], hash?: string) => {
      const finding = { workspace: workspace.name, path, server: launch.server.name, diagnostics }
      for (const listener of this.#listeners) listener(hash === undefined ? finding : { ...finding, hash })
    }
    const document = session.documents.get(path)
    if (document || found.length === 0)
      return publish(
        found.map(each => toDiagnostic(each, { path, ...document!.positions.toSpan(each.range) })),
        document?.hash
      )
    const places = new LocationConverter(workspace, this.track(workspace.name).texts, session)
    const uri = toFileUri(`${workspace.root}/${path}`)
    // Reading the file takes a while: concurrent diagnostics are newer.
    void Promise.all(
      found.map(async each => toDiagnostic(each, (await places.convert({ uri, range: each.range }))!))
    ).then(diagnostics => {
      if (!session.diagnostics.isOutdated(path, found)) publish(diagnostics)
    })
  }
}

const serverKey = ({ name }: Workspace, { server, root }: ServerCandidate) => JSON.stringify([name, server.name, root])
