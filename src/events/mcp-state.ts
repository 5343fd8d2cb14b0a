// Events for the state of MCP servers. They belong to no session or call.
import type { McpServerState } from '../protocol/mcp-servers.ts'
import type { Journal } from './journal.ts'

/** Publishes the state. The store reports a journal failure once. */
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
