// Requests of the MCP endpoint; its messages are those of the protocol.
import { type Static, Type } from 'typebox'
import { CallRequest } from './call-requests.ts'

const { agent, toolset, workspace, session_id, tool_call_id, context, timeout_ms, if_match } = CallRequest.properties
export const McpQuery = Type.Object({ agent, toolset, workspace, session_id }, { additionalProperties: false })
export type McpQuery = Static<typeof McpQuery>

/** Fields of a request in `_meta`, each prefixed with `toolgate/`. */
export const CallMeta = Type.Object({
  tool_call_id,
  session_id,
  workspace,
  agent,
  toolset,
  context,
  timeout_ms,
  if_match
})
export type CallMeta = Static<typeof CallMeta>

const SessionId = Type.String({ maxLength: 4_096, description: 'Session id from the response to `initialize`.' })
export const McpHeaders = Type.Object({
  'mcp-session-id': Type.Optional(SessionId),
  'mcp-protocol-version': Type.Optional(
    Type.String({ maxLength: 64, description: 'MCP version that was negotiated.' })
  ),
  'x-toolgate-agent': Type.Optional(agent)
})
export const McpStreamHeaders = Type.Object({
  ...McpHeaders.properties,
  'last-event-id': Type.Optional(Type.String({ maxLength: 4_096 }))
})

export const McpMessage = Type.Object({}, { additionalProperties: true, description: 'A JSON-RPC message.' })
export const McpError = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Union([Type.String(), Type.Number(), Type.Null()]),
    error: Type.Object({ code: Type.Integer(), message: Type.String() })
  },
  { title: 'McpError', description: 'JSON-RPC error. Errors outside JSON-RPC are problem documents.' }
)
