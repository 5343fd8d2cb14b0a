// Ids of calls in the console, which are those of their servers with the server: two servers may use the same one.
import { ToolError } from '../../errors.ts'

const CONSOLE_ID = /^(?<tool_call_id>.+)@(?<server_id>sv_[0-9a-f]{20})$/s

export const toConsoleId = (serverId: string, toolCallId: string) => `${toolCallId}@${serverId}`

/** Throws NOT_FOUND for an id that is not formed like that. */
export function parseConsoleId(id: string): { server_id: string; tool_call_id: string } {
  const { server_id, tool_call_id } = CONSOLE_ID.exec(id)?.groups ?? {}
  if (server_id === undefined || tool_call_id === undefined)
    throw new ToolError('NOT_FOUND', 'The hub has no call with this id.')
  return { server_id, tool_call_id }
}
