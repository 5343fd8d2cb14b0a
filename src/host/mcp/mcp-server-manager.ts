// Manages all MCP servers: one session of each for each of its workspaces. Neither other servers nor the startup wait for any of
// them.

import { isDeepStrictEqual } from 'node:util'
import type { ContributionSource } from '../../config/contributions.ts'
import type { Config } from '../../config/schema.ts'
import { ToolError } from '../../errors.ts'
import type { McpServerState } from '../../protocol/mcp-servers.ts'
import { redactCredentials } from '../../text/secrets/credentials.ts'
import type { Effects } from '../effects.ts'
import type { EgressPolicy } from '../egress/guarded-connect.ts'
import type { Workspace } from '../workspace.ts'
import { entriesForWorkspace } from './configured-servers.ts'
import { findConfiguredSecrets } from './expand-env.ts'
import { forgetLogin, type PendingLogin, startLogin } from './login.ts'
import type { McpClient, McpTool } from './mcp-client.ts'
import { type McpConnectOptions, openConnection } from './open-connection.ts'
import { StartLimiter } from './start-limiter.ts'
import { type MaskValue, WorkspaceMcpClient } from './workspace-mcp-client.ts'
import { type McpServerEntry, WorkspaceMcpServer } from './workspace-mcp-server.ts'

interface McpServerManagerOptions extends McpConnectOptions {
  settings: Config['mcp']
  /** This server's version. */
  clientVersion: string
  contributions: ContributionSource
  workspaces: ReadonlyMap<string, Workspace>
  egressPolicy(): EgressPolicy
  maskValue: MaskValue
}

/** Update of a server: its current tools and its state. */
export interface McpServerUpdate {
  state: McpServerState
  tools: readonly McpTool[]
}

export interface McpServerListener {
  onUpdate(news: McpServerUpdate): void
  /** A server sends too many notifications; called once per run of it. */
  onFlood(server: Pick<McpServerState, 'name' | 'workspace'>): void
}

/** Limits concurrent starts: each costs a considerable part of a second of processor time. */
const MAX_CONCURRENT_STARTS = 4
const START_SLOT_TIMEOUT_MS = 2_000

export class McpServerManager {
  readonly #options: McpServerManagerOptions
  readonly #servers = new Map<string, Map<string, WorkspaceMcpServer>>()
  /** Listed, but never started. */
  #inactive: WorkspaceMcpServer[] = []
  readonly #startLimiter = new StartLimiter(MAX_CONCURRENT_STARTS, START_SLOT_TIMEOUT_MS)
  readonly #pendingLogins = new Map<string, PendingLogin>()
  #unsubscribe: (() => void) | undefined
  #listener: McpServerListener = { onUpdate: () => {}, onFlood: () => {} }
  #isStarted = false
  #isClosed = false
  #secrets: readonly string[] = []

  constructor(options: McpServerManagerOptions) {
    this.#options = options
    this.#reconcile()
  }

  /** Starts all permitted servers, and those added later. */
  start(listener: McpServerListener) {
    this.#listener = listener
    this.#isStarted = true
    this.#unsubscribe = this.#options.contributions.onChange(() => this.#reconcile())
    for (const server of this.#allServers()) server.start()
  }

  /** Returns the client of one call. */
  forCall(workspace: Workspace, effects: Pick<Effects, 'signal' | 'commitIntent'>): McpClient {
    return new WorkspaceMcpClient(this.#servers.get(workspace.name)!, effects, this.#options.maskValue)
  }

  /** Credentials for servers, from their configuration or from logins: to be redacted. */
  get secrets(): readonly string[] {
    return [...this.#secrets, ...this.#options.tokenStore.secrets]
  }

  states(): McpServerState[] {
    return redactCredentials([...this.#allServers(), ...this.#inactive].map(server => server.state()))
  }

  /** Starts a login; the server is restarted after its success. */
  async login(name: string, workspace?: string) {
    const [server] = this.#findServers(name, workspace)
    this.#pendingLogins.get(name)?.cancel()
    const login = await startLogin(server.entry, this.#options)
    this.#pendingLogins.set(name, login)
    login.done.then(() => this.restart(name, workspace)).catch(() => {})
    const { authorization_url, expires_at } = login
    return { authorization_url, expires_at }
  }

  async logout(name: string, workspace?: string) {
    for (const server of this.#findServers(name, workspace)) forgetLogin(server.entry, this.#options)
    await this.restart(name, workspace)
  }

  async restart(name: string, workspace?: string) {
    await Promise.all(this.#findServers(name, workspace).map(server => server.restart()))
  }

  /** Finds a server's instances, in all workspaces or one of them. */
  #findServers(name: string, workspace: string | undefined): [WorkspaceMcpServer, ...WorkspaceMcpServer[]] {
    const [first, ...more] = [...this.#allServers()].filter(
      server => server.entry.name === name && (workspace === undefined || server.workspace.name === workspace)
    )
    if (first) return [first, ...more]
    throw new ToolError('NOT_FOUND', `The MCP server ${JSON.stringify(name.slice(0, 80))} is not running.`)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#unsubscribe?.()
    for (const login of this.#pendingLogins.values()) login.cancel()
    await Promise.all([...this.#allServers()].map(server => server.stop('the server is shutting down')))
  }

  *#allServers(): Generator<WorkspaceMcpServer> {
    for (const servers of this.#servers.values()) yield* servers.values()
  }

  /** Starts new servers, and stops those that were removed or changed. */
  #reconcile() {
    const { contributions, workspaces, settings } = this.#options
    const idle: WorkspaceMcpServer[] = []
    this.#secrets = findConfiguredSecrets(contributions.current(), this.#options.environment)
    for (const workspace of workspaces.values()) {
      const before = this.#servers.get(workspace.name) ?? new Map<string, WorkspaceMcpServer>()
      const now = new Map<string, WorkspaceMcpServer>()
      const { runnable, listed } = entriesForWorkspace(workspace, contributions.current(), settings)
      for (const entry of runnable) {
        const known = before.get(entry.name)
        now.set(
          entry.name,
          known && isDeepStrictEqual(known.entry, entry) ? known : this.#createServer(entry, workspace)
        )
      }
      idle.push(...listed.map(entry => this.#createServer(entry, workspace)))
      this.#servers.set(workspace.name, now)
      for (const [name, server] of before) if (now.get(name) !== server) this.#stopServer(server, now.has(name))
    }
    this.#inactive = idle
    if (this.#isStarted) for (const server of this.#allServers()) server.start()
  }

  #stopServer(server: WorkspaceMcpServer, isReplaced: boolean) {
    void server.stop('the configuration of the server has changed')
    if (!isReplaced) this.#listener.onUpdate({ state: server.state(), tools: [] })
  }

  #createServer(entry: McpServerEntry, workspace: Workspace): WorkspaceMcpServer {
    const { settings, clientVersion } = this.#options
    return new WorkspaceMcpServer({
      entry,
      workspace,
      settings,
      clientVersion,
      acquireStartSlot: signal => this.#startLimiter.acquire(signal),
      openConnection: transport => openConnection(transport, entry, workspace, this.#options),
      onChange: server => this.#publish(server),
      onFlood: () => this.#listener.onFlood({ name: entry.name, workspace: workspace.name })
    })
  }

  #publish(server: WorkspaceMcpServer) {
    const isServed = this.#servers.get(server.workspace.name)?.get(server.entry.name) === server
    if (isServed && !this.#isClosed)
      this.#listener.onUpdate({ state: server.state(), tools: [...server.tools.values()] })
  }
}
