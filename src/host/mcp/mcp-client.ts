// Interface of the MCP servers for code that calls their tools.
import type { McpServer } from '../../config/mcp.ts'
import type { TraceHeaders } from '../../protocol/trace-context.ts'

type McpToolEffect = NonNullable<McpServer['effects']>[string]

/** One tool of a server. All texts are sanitized. */
export interface McpTool {
  server: string
  /** The server's name for it. */
  name: string
  title?: string
  description: string
  /** JSON Schemas. */
  input: Record<string, unknown>
  output?: Record<string, unknown>
  /** The server's annotations; no decision is based on them. */
  hints: { read_only?: boolean; destructive?: boolean; idempotent?: boolean; open_world?: boolean }
  /** Fingerprint (sha256) of its complete definition: another hash is another tool. */
  definition: string
  /** Effect as configured by the user. */
  effect: McpToolEffect
  timeout_ms: number
  /** The user permits retries after an error. */
  idempotent: boolean
  /**
   * Validates arguments and returns the errors. Where the schema wants a number, a string may spell one that JavaScript cannot
   * hold: the server receives that number.
   */
  validate(args: unknown): { pointer: string; message: string }[]
}

/** A part of a result. Bytes are base64. */
export type McpContentBlock =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; media_type: string; bytes: string }
  | { type: 'link'; uri: string; name: string; description?: string; media_type?: string }
  | { type: 'resource'; uri: string; media_type?: string; text?: string; bytes?: string }

export interface McpToolResult {
  blocks: McpContentBlock[]
  /** Structured content, if the server returned any. */
  structured?: unknown
  /** Sentences about what was left out of the answer or read otherwise; absent if nothing was. */
  notes?: string[]
}

/** Progress of a running call. */
export interface McpProgress {
  /** 0 to 1, if known. */
  progress?: number
  message?: string
}

/** The MCP servers of one workspace, for one call. */
export interface McpClient {
  /**
   * Returns the current definition of a tool. Waits for a while for a server that is starting. Throws INVALID_PARAMS for an
   * unknown server or tool, and MCP_ERROR if the server does not answer.
   */
  tool(server: string, name: string): Promise<McpTool>
  call(tool: McpTool, args: Record<string, unknown>, options: McpCallOptions): Promise<McpToolResult>
}

export interface McpCallOptions {
  /** Receives the server's progress notifications. */
  onProgress(step: McpProgress): void
  /** Defaults to the call's own limit. */
  timeout_ms?: number
  /** Sent in `_meta`. */
  trace?: TraceHeaders | undefined
}
