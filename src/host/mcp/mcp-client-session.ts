// One initialized session with a server: its tools, and calls of them.
import { pathToFileURL } from 'node:url'
import type { Client, Tool as OfferedTool, Progress, Transport } from '@modelcontextprotocol/client'
import type { Workspace } from '../workspace.ts'
import type { McpConnection } from './connection.ts'
import { McpConnectionClosedError } from './errors.ts'
import { NotificationLimiter } from './notification-limiter.ts'
import { rawResultOf, toReadableResponse } from './odd-responses.ts'
import { sanitizeText } from './sanitize.ts'

const MAX_PAGES = 64
const CANCELLED = 'notifications/cancelled'
const LIST_CHANGED_DEBOUNCE_MS = 300
const MAX_NAME_CHARACTERS = 200
const PING_TIMEOUT_MS = 5_000
/** Disables the library's timeout: a call has its own. */
const NO_TIMEOUT_MS = 2_147_483_647

interface McpClientSessionOptions {
  connection: McpConnection
  workspace: Workspace
  clientVersion: string
  /** The server is known to use the legacy protocol. */
  isLegacy: boolean
  /** Maximum total size of all pages of its tool list. */
  maxListBytes: number
  /** Its tool list may have changed. */
  onToolsChanged(): void
  /** The first of its notifications was dropped, because there are too many. */
  onFlood(): void
}

/** Receives updates of a running call. */
export interface McpCallListener {
  onProgress(step: Progress): void
  onMessage(text: string): void
}

export class McpClientSession {
  readonly connection: McpConnection
  readonly #client: Client
  /** Listeners of in-flight calls. */
  readonly #callListeners = new Set<McpCallListener>()
  readonly #maxListBytes: number
  readonly #notifications: NotificationLimiter
  /** Passes a message to the library. */
  #hear: NonNullable<Transport['onmessage']> = () => {}
  /** Listeners for each page of a tool list being read. */
  readonly #pageListeners = new Set<(tools: readonly unknown[]) => void>()

  /** Rejects if the handshake fails; the connection is left open then. */
  static async start(terms: McpClientSessionOptions, signal: AbortSignal): Promise<McpClientSession> {
    const { connection, workspace, clientVersion, isLegacy, onToolsChanged } = terms
    const { Client, ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/client')
    const client = new Client(
      { name: 'toolgate', version: clientVersion },
      {
        capabilities: { roots: {} },
        versionNegotiation: { mode: isLegacy ? 'legacy' : 'auto' },
        listMaxPages: MAX_PAGES,
        // Results are validated against their schemas here, within limits.
        jsonSchemaValidator: {
          getValidator: () => input => ({ valid: true, data: input as never, errorMessage: undefined })
        },
        listChanged: { tools: { autoRefresh: false, debounceMs: LIST_CHANGED_DEBOUNCE_MS, onChanged: onToolsChanged } }
      }
    )
    client.setRequestHandler('roots/list', () => ({
      roots: [{ uri: pathToFileURL(workspace.root).href, name: workspace.name }]
    }))
    client.fallbackRequestHandler = async ({ method }) => {
      throw new ProtocolError(
        ProtocolErrorCode.MethodNotFound,
        `Toolgate does not support the request ${method} from MCP servers, only roots/list.`
      )
    }
    const session = new McpClientSession(client, terms)
    client.setNotificationHandler('notifications/message', ({ params: { level, data } }) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data)
      for (const listener of session.#callListeners) listener.onMessage(`${level}: ${text}`)
    })
    // The library waits forever if the stream of events was closed before the server had answered.
    const over = connection.ended.then(({ reason }) => Promise.reject(new McpConnectionClosedError(reason)))
    await Promise.race([client.connect(connection.transport, { signal, timeout: NO_TIMEOUT_MS }), over])
    session.#limitNotifications()
    session.#readResponses()
    if (client.getServerCapabilities()?.logging && client.getProtocolEra() === 'legacy')
      client.setLoggingLevel('info', { timeout: PING_TIMEOUT_MS }).catch(() => {})
    return session
  }

  private constructor(client: Client, { connection, maxListBytes, onFlood }: McpClientSessionOptions) {
    this.#client = client
    this.connection = connection
    this.#maxListBytes = maxListBytes
    this.#notifications = new NotificationLimiter({ forward: message => this.#hear(message), onFlood })
  }

  /** Number of notifications that were dropped, because there were too many. */
  get droppedNotifications(): number {
    return this.#notifications.dropped
  }

  #limitNotifications() {
    const { transport, ended } = this.connection
    const hear = transport.onmessage
    this.#hear = message => hear?.(message)
    transport.onmessage = (message, extra) => {
      if (this.#notifications.admits(message)) hear?.(message, extra)
    }
    void ended.then(() => this.#notifications.close())
  }

  /** Reads responses before the library does, by the methods of their requests. */
  #readResponses() {
    const { transport } = this.connection
    const methods = new Map<unknown, string>()
    const send = transport.send.bind(transport)
    transport.send = (message, options) => {
      if ('method' in message && 'id' in message) methods.set(message.id, message.method)
      if ('method' in message && message.method === CANCELLED) methods.delete(message.params?.requestId)
      return send(message, options)
    }
    const hear = transport.onmessage
    const namesResultTypes = this.#client.getProtocolEra() === 'modern'
    const onTools = (tools: readonly unknown[]) => {
      for (const listener of this.#pageListeners) listener(tools)
    }
    transport.onmessage = (message, extra) => {
      const { id } = message as { id?: string | number }
      if ('method' in message || id === undefined || id === null) return hear?.(message, extra)
      const method = methods.get(id)
      methods.delete(id)
      hear?.(toReadableResponse({ ...message, id }, { method, namesResultTypes, onTools }), extra)
    }
  }

  /** Information from the server's handshake. */
  get serverInfo(): { name: string; version: string; title?: string; protocol: string } {
    const { name = '', version = '', title } = this.#client.getServerVersion() ?? {}
    return {
      name: sanitizeText(name, MAX_NAME_CHARACTERS),
      version: sanitizeText(version, MAX_NAME_CHARACTERS),
      ...(title !== undefined && { title: sanitizeText(title, MAX_NAME_CHARACTERS) }),
      protocol: sanitizeText(this.#client.getNegotiatedProtocolVersion() ?? '', MAX_NAME_CHARACTERS)
    }
  }

  /** Returns the tools of all pages, as the server sent them. */
  async listTools(signal: AbortSignal): Promise<unknown[]> {
    const full = new AbortController()
    const found: unknown[] = []
    let bytes = 0
    const take = (tools: readonly unknown[]) => {
      bytes += JSON.stringify(tools).length
      if (bytes <= this.#maxListBytes) found.push(...tools)
      else
        full.abort(new Error(`the tool list of the server exceeds ${this.#maxListBytes} bytes (mcp.max_result_bytes)`))
    }
    this.#pageListeners.add(take)
    const options = { signal: AbortSignal.any([signal, full.signal]), timeout: NO_TIMEOUT_MS }
    try {
      await this.#client.listTools(undefined, { ...options, cacheMode: 'refresh' })
      return found
    } catch (error) {
      throw full.signal.aborted ? full.signal.reason : error
    } finally {
      this.#pageListeners.delete(take)
    }
  }

  /** Returns the result as the server sent it. */
  async callTool(
    tool: OfferedTool,
    params: { arguments: Record<string, unknown>; _meta?: Record<string, unknown> },
    listener: McpCallListener,
    signal: AbortSignal
  ): Promise<Record<string, unknown>> {
    this.#callListeners.add(listener)
    try {
      const result = await this.#client.callTool(
        { name: tool.name, ...params },
        { signal, timeout: NO_TIMEOUT_MS, onprogress: step => listener.onProgress(step), toolDefinition: tool }
      )
      return rawResultOf(result)
    } finally {
      this.#callListeners.delete(listener)
    }
  }

  /** Kills the server if it does not answer. */
  async killIfUnresponsive() {
    if (this.#client.getProtocolEra() !== 'legacy') return
    await this.#client
      .ping({ timeout: PING_TIMEOUT_MS })
      .catch(() =>
        this.connection.kill(`the server did not answer a ping within ${PING_TIMEOUT_MS} ms after a call had timed out`)
      )
  }
}
