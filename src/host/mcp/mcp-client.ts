// MCP servers as those see them who use their tools.
import type { McpServer } from '../../config/mcp.ts'

type McpToolEffect = NonNullable<McpServer['effects']>[string]

/** One tool of a server. All texts are freed of what does not show. */
export interface McpTool {
  server: string
  /** What the server calls it. */
  name: string
  title?: string
  description: string
  /** JSON Schemas. */
  input: Record<string, unknown>
  output?: Record<string, unknown>
  /** What the server says of it; nothing is decided by that. */
  hints: { read_only?: boolean; destructive?: boolean; idempotent?: boolean; open_world?: boolean }
  /** sha256 over all that it says of itself: another hash is another tool. */
  definition: string
  /** What the user lets it be taken for. */
  effect: McpToolEffect
  timeout_ms: number
  /** The user says that it may be tried again after a fault. */
  idempotent: boolean
  /** What is wrong with arguments for it. */
  validate(args: unknown): { pointer: string; message: string }[]
}

/** A piece of an answer. Bytes are base64. */
export type McpContentBlock =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; media_type: string; bytes: string }
  | { type: 'link'; uri: string; name: string; description?: string; media_type?: string }
  | { type: 'resource'; uri: string; media_type?: string; text?: string; bytes?: string }

export interface McpToolResult {
  blocks: McpContentBlock[]
  /** There where the server gave something typed. */
  structured?: unknown
}

/** Something that a server tells of a call under way. */
export interface McpProgress {
  /** 0 to 1, where that can be told. */
  progress?: number
  message?: string
}

/** The MCP servers of one workspace, for one call. */
export interface McpClient {
  /** The tool as it is now. Waits a while for a server that is starting. Throws INVALID_PARAMS where there is no such
   * server or tool, and MCP_ERROR where the server does not answer. */
  tool(server: string, name: string): Promise<McpTool>
  call(tool: McpTool, args: Record<string, unknown>, options: McpCallOptions): Promise<McpToolResult>
}

export interface McpCallOptions {
  /** Hears what the server tells meanwhile. */
  onProgress(step: McpProgress): void
  /** Without it the call's own limit holds. */
  timeout_ms?: number
}

/** How things stand with a server in a workspace. */
export interface McpServerState {
  name: string
  workspace: string
  transport: 'stdio' | 'http' | 'sse'
  state: 'untrusted' | 'disabled' | 'waiting' | 'connecting' | 'ready' | 'backing_off' | 'needs_login' | 'failed'
  /** Why it is not ready, and what would cure that. */
  reason?: string
  /** The file that brings it, where it is not the user's. */
  file?: string
  trusted: boolean
  /** How many of its tools are served. */
  tools: number
  /** Tools that are not, and why. */
  refused?: { name: string; reason: string }[]
  server?: { name: string; version: string; title?: string; protocol: string }
  pid?: number
  restarts: number
  /** When it is tried again. */
  retry_at?: string
  /** The last that it printed on standard error. */
  stderr?: string
}
