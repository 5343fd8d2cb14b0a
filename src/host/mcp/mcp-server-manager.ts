// All MCP servers: one run of each for each workspace that it is for. None of them keeps another, or a start of ours, waiting.
import { isDeepStrictEqual } from 'node:util'
import type { BroughtSource } from '../../config/contributions.ts'
import type { McpSettings } from '../../config/mcp.ts'
import { ToolError } from '../../errors.ts'
import type { Guarding } from '../egress/guarded-connect.ts'
import type { Effects, Workspace } from '../host.ts'
import { entriesFor } from './configured-servers.ts'
import { secretsIn } from './expand-env.ts'
import { beginLogin, forgetLogin, type Login } from './login.ts'
import type { Mcp, McpServerState, McpTool } from './mcp-client.ts'
import { type Opening, openLink } from './open-connection.ts'
import { Turns } from './start-limiter.ts'
import { Asking, type Masked } from './workspace-mcp-client.ts'
import { type Entry, Server } from './workspace-mcp-server.ts'

export interface McpOptions extends Opening {
  settings: McpSettings
  /** Ours. */
  version: string
  brought: BroughtSource
  workspaces: ReadonlyMap<string, Workspace>
  guarding(): Guarding
  masked: Masked
}

/** What is heard of a server: its tools as they are now, and how things stand with it. */
export interface McpNews {
  state: McpServerState
  tools: readonly McpTool[]
}

/** A few start at once: each costs a good part of a second of processor time. */
const AT_ONCE = 4
const PATIENCE_MS = 2_000

export class McpServers {
  readonly #options: McpOptions
  readonly #servers = new Map<string, Map<string, Server>>()
  /** Listed, and never started. */
  #idle: Server[] = []
  readonly #turns = new Turns(AT_ONCE, PATIENCE_MS)
  readonly #logins = new Map<string, Login>()
  #forget: (() => void) | undefined
  #hear: (news: McpNews) => void = () => {}
  #begun = false
  #closed = false
  #secrets: readonly string[] = []

  constructor(options: McpOptions) {
    this.#options = options
    this.#take()
  }

  /** Starts all that may be started, and from now on what comes. */
  start(hear: (news: McpNews) => void) {
    this.#hear = hear
    this.#begun = true
    this.#forget = this.#options.brought.onChange(() => this.#take())
    for (const server of this.#all()) server.begin()
  }

  /** For one call. */
  of(workspace: Workspace, effects: Pick<Effects, 'signal' | 'committed'>): Mcp {
    return new Asking(this.#servers.get(workspace.name)!, effects, this.#options.masked)
  }

  /** What lets us in to servers, by their configuration or by logins: nobody is shown that. */
  get secrets(): readonly string[] {
    return [...this.#secrets, ...this.#options.logins.secrets]
  }

  states(): McpServerState[] {
    return [...this.#all(), ...this.#idle].map(server => server.state())
  }

  /** Begins a login; the server is started anew once somebody has logged in. */
  async login(name: string, workspace?: string) {
    const [server] = this.#named(name, workspace)
    this.#logins.get(name)?.end()
    const login = await beginLogin(server.entry, this.#options)
    this.#logins.set(name, login)
    login.done.then(() => this.restart(name, workspace)).catch(() => {})
    const { authorization_url, expires_at } = login
    return { authorization_url, expires_at }
  }

  async logout(name: string, workspace?: string) {
    for (const server of this.#named(name, workspace)) forgetLogin(server.entry, this.#options)
    await this.restart(name, workspace)
  }

  async restart(name: string, workspace?: string) {
    await Promise.all(this.#named(name, workspace).map(server => server.restart()))
  }

  /** The runs of a server, in all workspaces or one of them. */
  #named(name: string, workspace: string | undefined): [Server, ...Server[]] {
    const [first, ...more] = [...this.#all()].filter(
      server => server.entry.name === name && (workspace === undefined || server.workspace.name === workspace)
    )
    if (first) return [first, ...more]
    throw new ToolError('NOT_FOUND', `No MCP server ${JSON.stringify(name.slice(0, 80))} runs here.`)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#forget?.()
    for (const login of this.#logins.values()) login.end()
    await Promise.all([...this.#all()].map(server => server.stop('the server is shutting down')))
  }

  *#all(): Generator<Server> {
    for (const servers of this.#servers.values()) yield* servers.values()
  }

  /** Starts what is new, and stops what is there no more or otherwise. */
  #take() {
    const { brought, workspaces, settings } = this.#options
    const idle: Server[] = []
    this.#secrets = secretsIn(brought.current(), this.#options.environment)
    for (const workspace of workspaces.values()) {
      const before = this.#servers.get(workspace.name) ?? new Map<string, Server>()
      const now = new Map<string, Server>()
      const { runnable, listed } = entriesFor(workspace, brought.current(), settings)
      for (const entry of runnable) {
        const known = before.get(entry.name)
        now.set(entry.name, known && isDeepStrictEqual(known.entry, entry) ? known : this.#made(entry, workspace))
      }
      idle.push(...listed.map(entry => this.#made(entry, workspace)))
      this.#servers.set(workspace.name, now)
      for (const [name, server] of before) if (now.get(name) !== server) this.#leave(server, now.has(name))
    }
    this.#idle = idle
    if (this.#begun) for (const server of this.#all()) server.begin()
  }

  #leave(server: Server, isReplaced: boolean) {
    void server.stop('its configuration has changed')
    if (!isReplaced) this.#hear({ state: server.state(), tools: [] })
  }

  #made(entry: Entry, workspace: Workspace): Server {
    const { settings, version } = this.#options
    return new Server({
      entry,
      workspace,
      settings,
      version,
      turn: signal => this.#turns.take(signal),
      open: transport => openLink(transport, entry, workspace, this.#options),
      changed: server => this.#tell(server)
    })
  }

  #tell(server: Server) {
    const isServed = this.#servers.get(server.workspace.name)?.get(server.entry.name) === server
    if (isServed && !this.#closed) this.#hear({ state: server.state(), tools: [...server.tools.values()] })
  }
}
