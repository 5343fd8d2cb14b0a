// All language servers that run: one for each server and project, shared by all calls and sessions.
import type { Config } from '../../config.ts'
import { ToolError } from '../../errors.ts'
import type { Buffers } from '../editors/buffers.ts'
import type { Effects, Workspace } from '../host.ts'
import type { Guard } from '../judging.ts'
import { pathBeside } from '../processes/search-path.ts'
import { Asking } from './asking.ts'
import { groundOf } from './ground.ts'
import type { Finding, LanguageServers, Languages, ServerState } from './languages.ts'
import { type Launch, launchOf, projectRoot, serversFor } from './launch.ts'
import { ProjectServer } from './project-server.ts'
import { LANGUAGE_SERVERS, type LanguageServer } from './servers.ts'
import { Session } from './session.ts'
import { Sources } from './sources.ts'
import { type Ground as Machine, startServer } from './start-server.ts'

export interface PoolOptions extends Machine {
  guard: Guard
  buffers: Buffers
  settings: Config['language_servers']
}

export class LanguageServerPool implements LanguageServers {
  readonly #options: PoolOptions
  readonly #servers = new Map<string, ProjectServer>()
  readonly #sources = new Map<string, Sources>()
  readonly #listeners: ((finding: Finding) => void)[] = []

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** For one call. */
  of(workspace: Workspace, effects: Pick<Effects, 'signal' | 'committed'>): Languages {
    return new Asking(this, workspace, effects)
  }

  async kept(): Promise<'strict' | undefined> {
    const states = await this.#options.sandbox.states()
    return states.some(({ level, holds }) => level === 'strict' && holds) ? 'strict' : undefined
  }

  /** The server for a file. */
  async serverFor(workspace: Workspace, path: string): Promise<ProjectServer> {
    const kept = await this.kept()
    const { environment, roots } = this.#options
    const ground = groundOf(workspace, pathBeside(roots, environment), kept !== undefined)
    const candidates = serversFor(path, LANGUAGE_SERVERS)
    for (const { server } of candidates) {
      const root = projectRoot(path, server, ground.exists)
      const known = this.#servers.get(keyOf(workspace, server, root))
      if (known) return known
      const launch = launchOf(server, root, ground)
      if (launch) return this.#add(workspace, launch, kept)
    }
    throw missing(path, candidates)
  }

  states(): ServerState[] {
    return [...this.#servers.values()].map(server => server.state())
  }

  /** Hears all that is found from now on. */
  listen(listener: (finding: Finding) => void) {
    this.#listeners.push(listener)
  }

  /** To come. */
  warm(_workspace: string, _paths: readonly string[]) {}

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map(server => server.stop('The server is shutting down')))
  }

  sourcesOf(workspace: Workspace): Sources {
    const known = this.#sources.get(workspace.name)
    if (known) return known
    const sources = new Sources(workspace, this.#options.guard, this.#options.buffers)
    this.#sources.set(workspace.name, sources)
    return sources
  }

  #add(workspace: Workspace, launch: Launch, kept: 'strict' | undefined): ProjectServer {
    const begin = async () => {
      const started = await startServer(launch, workspace, kept, this.#options)
      const sources = this.sourcesOf(workspace)
      return Session.begin({ launch, workspace, started, sources }, AbortSignal.timeout(60_000))
    }
    const server = new ProjectServer(launch, begin)
    this.#servers.set(keyOf(workspace, launch.server, launch.root), server)
    return server
  }
}

const keyOf = ({ name }: Workspace, server: LanguageServer, root: string) => JSON.stringify([name, server.name, root])

function missing(path: string, candidates: ReturnType<typeof serversFor>): ToolError {
  const [first] = candidates
  if (!first) return new ToolError('LSP_UNAVAILABLE', `No language server is known for ${path}.`, { path })
  const { server, language } = first
  return new ToolError(
    'LSP_UNAVAILABLE',
    `No language server for ${language} is here. To install one: ${server.install}`,
    { path, language, server: server.name, install: server.install }
  )
}
