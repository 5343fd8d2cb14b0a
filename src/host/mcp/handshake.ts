// Connects to an MCP server and negotiates the protocol version. An older server may exit at the first unknown request, or use
// the legacy transport; the result is remembered for later sessions.
import type { Workspace } from '../workspace.ts'
import type { McpConnection } from './connection.ts'
import { classifyMcpError, McpConnectionClosedError } from './errors.ts'
import { McpClientSession } from './mcp-client-session.ts'

export type TransportKind = 'stdio' | 'http' | 'sse'

interface HandshakeOptions {
  workspace: Workspace
  clientVersion: string
  /** As configured or detected. */
  transport: TransportKind
  /** The transport is only a guess. */
  isTransportGuessed: boolean
  /** Maximum total size of a server's tool list. */
  maxListBytes: number
  openConnection(transport: TransportKind): Promise<McpConnection>
  /** The server's tools have changed. */
  onToolsChanged(): void
  /** The server sends too many notifications. */
  onFlood(): void
}

const HANDSHAKE_FAILED = 'the MCP handshake failed'

export class Handshake {
  readonly #options: HandshakeOptions
  #transport: TransportKind
  #isLegacy = false
  #lastOutput = ''

  constructor(terms: HandshakeOptions) {
    this.#options = terms
    this.#transport = terms.transport
  }

  get transport(): TransportKind {
    return this.#transport
  }

  /** The latest output of the last attempt. */
  get lastOutput(): string {
    return this.#lastOutput
  }

  async openSession(signal: AbortSignal): Promise<McpClientSession> {
    try {
      return await this.#startSession(this.#transport, this.#isLegacy || this.#transport === 'sse', signal)
    } catch (error) {
      signal.throwIfAborted()
      const { kind } = await classifyMcpError(error)
      if (this.#transport === 'stdio' && kind === 'gone' && !this.#isLegacy) {
        const session = await this.#startSession('stdio', true, signal)
        this.#isLegacy = true
        return session
      }
      if (
        this.#options.isTransportGuessed &&
        this.#transport === 'http' &&
        (kind === 'elsewhere' || kind === 'forgotten')
      ) {
        // If both transports fail, the error of the first attempt is more informative.
        const session = await this.#startSession('sse', true, signal).catch(() => Promise.reject(error))
        this.#transport = 'sse'
        return session
      }
      throw error
    }
  }

  async #startSession(transport: TransportKind, isLegacy: boolean, signal: AbortSignal): Promise<McpClientSession> {
    const { workspace, clientVersion, maxListBytes, openConnection, onToolsChanged, onFlood } = this.#options
    const connection = await openConnection(transport)
    const abort = () => connection.kill((signal.reason as Error).message)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    try {
      return await McpClientSession.start(
        { connection, workspace, clientVersion, isLegacy, maxListBytes, onToolsChanged, onFlood },
        signal
      )
    } catch (error) {
      connection.kill(HANDSHAKE_FAILED)
      const { reason } = await connection.ended
      this.#lastOutput = connection.recentOutput()
      signal.throwIfAborted()
      throw reason === HANDSHAKE_FAILED ? error : new McpConnectionClosedError(reason)
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }
}
