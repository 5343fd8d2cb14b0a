// How things stand with MCP servers, as events. They belong to no session and no call.
import type { McpServerState } from '../host/mcp/mcp-client.ts'
import type { Journal } from './journal.ts'

/** A journal that fails is told of once, by the store. */
export function publishMcpState(
  journal: Journal,
  {
    name,
    workspace,
    state,
    reason,
    tools,
    retry_at
  }: Pick<McpServerState, 'name' | 'workspace' | 'state' | 'reason' | 'tools' | 'retry_at'>
) {
  const why = { ...(reason !== undefined && { reason }), ...(retry_at !== undefined && { retry_at }) }
  journal.append([{ type: 'mcp.changed', name, workspace, state, tools, ...why }]).catch(() => {})
}
