// What a request means, by whatever names it was made.
import type { Tool } from './tool.ts'

/** A request by its tool's own name and params. */
export interface ResolvedRequest {
  tool: Tool
  params: unknown
  background?: boolean
  /** Time limit of the toolset. */
  timeout_ms?: number
  /** The toolset by whose name it was asked for, and that name, where it was not the tool's own. */
  toolset?: string
  requested_tool?: string
}
