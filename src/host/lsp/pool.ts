// All language servers that run: one for each server and project, shared by all calls and sessions.
import type { Diagnostic as ServerDiagnostic } from 'vscode-languageserver-protocol'
import type { Config } from '../../config/schema.ts'
import { ToolError } from '../../errors.ts'
import type { Buffers } from '../editors/editor-buffers.ts'
import type { Guard } from '../files/policy/path-policy.ts'
import type { Change, Effects, Workspace } from '../host.ts'
import { pathBeside } from '../processes/search-path.ts'
import type { FileList } from '../search/file-list.ts'
import type { Watcher } from '../watch/watcher.ts'
import { dependencyStamp } from './dependency-fingerprint.ts'
import { Sources } from './document-text-provider.ts'
import { FileNews } from './file-event-source.ts'
import type { Finding, LanguageServers, Languages, ServerState } from './language-service.ts'
import { Places } from './location-converter.ts'
import { Session } from './lsp-session.ts'
import type { FileEvent } from './pending-file-events.ts'
import { memoryOf } from './process-tree-memory.ts'
import { ProjectServer } from './project-server.ts'
import { Upkeep } from './resource-limiter.ts'
import { type Ground, type Launch, serversFor } from './servers/launch-config.ts'
import { groundOf } from './servers/launch-environment.ts'
import { type Choice, choicesFor, configured, launchFor, missing } from './servers/select-server.ts'
import { LANGUAGE_SERVERS, type LanguageServer } from './servers/servers.ts'
import { type Starter, startServer } from './servers/start-language-server.ts'
import { diagnosticOf } from './to-diagnostic.ts'
import { uriOf } from './wire/file-uris.ts'
import { Asking } from './workspace-language-service.ts'

export interface Served extends Workspace {
  watcher: Watcher
  list: FileList
}

interface PoolOptions extends Starter {
  workspaces: ReadonlyMap<string, Served>
  guard: Guard
  buffers: Buffers
  settings: Config['language_servers']
}

/** What servers are asked about. */
export interface Workplace {
  workspace: Served
  sources: Sources
}

interface Known extends Workplace {
  news: FileNews
}

/** A choice is made anew after so long: what tells of a project may have come or gone. */
const CHOICE_MS = 5_000
const MOST_CHOICES = 10_000
const SWITCHED_OFF = 'Language servers are switched off by `language_servers.enabled`.'

export class LanguageServerPool implements LanguageServers {
  readonly #options: PoolOptions
  readonly #rows: readonly LanguageServer[]
  readonly #servers = new Map<string, ProjectServer>()
  readonly #known = new Map<string, Known>()
  readonly #choices = new Map<string, { server: ProjectServer; until: number }>()
  readonly #listeners: ((finding: Finding) => void)[] = []
  readonly #closing = new AbortController()
  readonly #upkeep: Upkeep
  #kept: 'strict' | undefined
  #path = { folders: '', until: 0 }

  constructor(options: PoolOptions) {
    this.#options = options
    this.#rows = configured(LANGUAGE_SERVERS, options.settings.servers)
    this.#upkeep = new Upkeep(() => this.#servers.values(), options.settings)
  }

  /** For one call. */
  of(workspace: Workspace, effects: Pick<Effects, 'signal' | 'committed'>): Languages {
    return new Asking(this, this.known(workspace.name), effects)
  }

  async kept(): Promise<'strict' | undefined> {
    const states = await this.#options.sandbox.states()
    this.#kept = states.some(({ level, holds }) => level === 'strict' && holds) ? 'strict' : undefined
    return this.#kept
  }

  get settings(): Config['language_servers'] {
    return this.#options.settings
  }

  get rows(): readonly LanguageServer[] {
    return this.#rows
  }

  /** The server for a file, whether it runs or not. Throws LSP_UNAVAILABLE where there is none. */
  async serverFor(workspace: Workspace, path: string, ground?: Ground): Promise<ProjectServer> {
    if (!this.#options.settings.enabled) throw new ToolError('LSP_UNAVAILABLE', SWITCHED_OFF)
    const key = JSON.stringify([workspace.name, path])
    const chosen = this.#choices.get(key)
    if (chosen && chosen.until > performance.now()) return chosen.server
    const kept = await this.kept()
    const server = this.#choose(workspace, path, ground ?? this.groundOf(workspace), kept)
    this.#choices.delete(key)
    this.#choices.set(key, { server, until: performance.now() + CHOICE_MS })
    for (const oldest of this.#choices.keys()) {
      if (this.#choices.size <= MOST_CHOICES) break
      this.#choices.delete(oldest)
    }
    return server
  }

  /** What can be seen of a workspace at this moment. */
  groundOf(workspace: Workspace): Ground {
    return groundOf(workspace, this.#searchPath(), this.#kept !== undefined)
  }

  /** Where programs are looked for. Links lead elsewhere now and then, and are looked at no more often than that. */
  #searchPath(): string {
    const { environment, roots } = this.#options
    const now = performance.now()
    if (now >= this.#path.until) this.#path = { folders: pathBeside(roots, environment), until: now + CHOICE_MS }
    return this.#path.folders
  }

  /** The server for a file that runs already. */
  running(workspace: Workspace, path: string): ProjectServer | undefined {
    if (this.#servers.size === 0) return undefined
    const choices = choicesFor(path, this.#rows, this.groundOf(workspace))
    return choices.flatMap(choice => this.#servers.get(keyOf(workspace, choice)) ?? []).find(server => server.session)
  }

  /** The servers of a workspace that have run. */
  all({ name }: Workspace): ProjectServer[] {
    return [...this.#servers.values()].filter(server => server.workspace === name)
  }

  states(): ServerState[] {
    return [...this.#servers.values()].map(server => {
      const state = server.state()
      return state.pid === undefined ? state : { ...state, memory_bytes: memoryOf(state.pid) }
    })
  }

  listen(listener: (finding: Finding) => void) {
    this.#listeners.push(listener)
  }

  warm(workspace: string, paths: readonly string[]) {
    if (!this.#options.settings.warm) return
    const known = this.known(workspace)
    for (const path of paths)
      if (serversFor(path, this.#rows).length > 0) void this.#warm(known.workspace, path).catch(() => {})
  }

  /** A call has changed a file. */
  changed(workspace: Workspace, change: Change) {
    this.#known.get(workspace.name)?.news.own(change)
  }

  async close(): Promise<void> {
    this.#closing.abort(new ToolError('LSP_UNAVAILABLE', 'The server is shutting down.'))
    this.#upkeep.close()
    for (const { news } of this.#known.values()) news.close()
    await Promise.all([...this.#servers.values()].map(server => server.stop('the server is shutting down')))
  }

  known(name: string): Known {
    const known = this.#known.get(name)
    if (known) return known
    const workspace = this.#options.workspaces.get(name)!
    const fresh: Known = {
      workspace,
      sources: new Sources(workspace, this.#options.guard, this.#options.buffers),
      news: new FileNews(workspace, (path, event) => this.#tell(workspace, path, event))
    }
    this.#known.set(name, fresh)
    return fresh
  }

  #choose(workspace: Workspace, path: string, ground: Ground, kept: 'strict' | undefined): ProjectServer {
    const choices = choicesFor(path, this.#rows, ground)
    for (const choice of choices) {
      const server = this.#servers.get(keyOf(workspace, choice))
      if (server) return server
      const launch = launchFor([choice], ground)
      if (launch) return this.#add(workspace, launch, kept)
    }
    throw missing(path, this.#rows)
  }

  #add(workspace: Workspace, launch: Launch, kept: 'strict' | undefined): ProjectServer {
    const { depends = [] } = launch.server
    const server: ProjectServer = new ProjectServer(
      workspace.name,
      launch,
      () => this.#begin(workspace, server, kept),
      () => dependencyStamp(workspace, launch.root, depends)
    )
    this.#servers.set(keyOf(workspace, launch), server)
    return server
  }

  async #begin(workspace: Workspace, server: ProjectServer, kept: 'strict' | undefined): Promise<Session> {
    this.#closing.signal.throwIfAborted()
    const { settings } = this.#options
    const { sources, news } = this.known(workspace.name)
    await this.#upkeep.makeRoom(server)
    news.start()
    const { launch } = server
    const started = await startServer(launch, workspace, kept, settings.memory_bytes, this.#options)
    return Session.begin(
      {
        launch,
        workspace,
        sources,
        started,
        budgets: settings,
        settled: () => news.settled(),
        hear: (session, path, found) => this.#hear(workspace, server, session, path, found)
      },
      this.#closing.signal
    )
  }

  async #warm(workspace: Served, path: string): Promise<void> {
    if (!this.#options.settings.enabled || (await this.kept()) === undefined) return
    const server = await this.serverFor(workspace, path)
    // None that is asked makes room for one that nobody has asked yet.
    const others = [...this.#servers.values()].filter(other => other !== server && other.isRunning)
    if (others.length >= this.#options.settings.max_servers) return
    if (!server.session) await server.using(session => session.documents.sync(path), this.#closing.signal)
  }

  #tell(workspace: Workspace, path: string, event: FileEvent) {
    for (const server of this.all(workspace)) server.session?.changed(path, event)
  }

  #hear(
    workspace: Workspace,
    { launch }: ProjectServer,
    session: Session,
    path: string,
    found: readonly ServerDiagnostic[]
  ) {
    if (this.#listeners.length === 0) return
    const tell = (diagnostics: Finding['diagnostics'], hash?: string) => {
      const finding = { workspace: workspace.name, path, server: launch.server.name, diagnostics }
      for (const listener of this.#listeners) listener(hash === undefined ? finding : { ...finding, hash })
    }
    const document = session.documents.get(path)
    if (document || found.length === 0)
      return tell(
        found.map(each => diagnosticOf(each, { path, ...document!.positions.spanOf(each.range) })),
        document?.hash
      )
    const places = new Places(workspace, this.known(workspace.name).sources, session)
    const uri = uriOf(`${workspace.root}/${path}`)
    // Reading the file takes a while: what is said of it meanwhile is newer.
    void Promise.all(
      found.map(async each => diagnosticOf(each, (await places.place({ uri, range: each.range }))!))
    ).then(diagnostics => {
      if (!session.findings.isOutdated(path, found)) tell(diagnostics)
    })
  }
}

const keyOf = ({ name }: Workspace, { server, root }: Choice) => JSON.stringify([name, server.name, root])
