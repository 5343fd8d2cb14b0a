// A request resolved to a tool and its params, independent of the names that the caller used.
import type { Tool } from './tool.ts'

/** A request in the tool's native name and params. */
export interface ResolvedRequest {
  tool: Tool
  params: unknown
  background?: boolean
  /** Timeout of the toolset. */
  timeout_ms?: number
  /** The toolset and its name for the tool, if not requested by the native name. */
  toolset?: string
  requested_tool?: string
}
