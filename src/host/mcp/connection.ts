// Connection to one MCP server: its process, or a remote address.
import type { Transport } from '@modelcontextprotocol/client'

/** End of a connection. */
export interface ConnectionEnd {
  reason: string
  /** The server was stopped because it is not needed. */
  wasStopped: boolean
}

export interface McpConnection {
  transport: Transport
  /** Resolves when nothing of it is left. */
  ended: Promise<ConnectionEnd>
  pid?: number
  /** Returns the server's latest output besides messages. */
  recentOutput(): string
  /** Kills it. */
  kill(why: string): void
  /** Shuts it down, and kills it if it does not exit. */
  stop(why: string): Promise<void>
}
