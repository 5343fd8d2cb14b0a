import { Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import type { McpTool } from '../../host/mcp/mcp-client.ts'
import { PresentedOutput } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import { withProgress } from '../../tool/with-progress.ts'
import {
  McpToolOutput,
  mcpPreview,
  mcpRequest,
  mcpToolName,
  presentAnswer,
  presentData,
  toMcpToolOutput
} from './lib/call-mcp-tool.ts'

export default defineTool({
  name: 'mcp_tool',
  category: 'mcp',
  traits: { listed: 'with_mcp_servers' },
  description: 'Calls a tool of an MCP server. Each tool is also listed as `mcp:<server>:<tool>`.',
  input: Type.Object(
    {
      server: Type.String({ minLength: 1, maxLength: 64, description: 'Configured name of the server.' }),
      tool: Type.String({ minLength: 1, maxLength: 128, description: 'Name of the tool at the server.' }),
      arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Arguments of the tool.' }))
    },
    { additionalProperties: false }
  ),
  output: McpToolOutput,
  // The server's own limit applies within it.
  timeout_ms: 600_000,
  effect: 'depends',
  request: async ({ server, tool }, { host }) => mcpRequest(await host.mcp.tool(server, tool)),
  async plan({ server, tool, arguments: args = {} }, { host }) {
    const state = await host.mcp.tool(server, tool)
    const errors = state
      .validate(args)
      .map(({ pointer, message }) => ({ pointer: `/params/arguments${pointer}`, message }))
    const [first] = errors
    if (first) throw new ToolError('INVALID_PARAMS', `${first.pointer} ${first.message}.`, { errors })
    return { state, preview: () => mcpPreview(state, args) }
  },
  async *run({ arguments: args = {} }, { host, call: { trace } }, found: McpTool) {
    const { timeout_ms } = found
    const answer = yield* withProgress(onProgress => host.mcp.call(found, args, { onProgress, timeout_ms, trace }))
    return new PresentedOutput(toMcpToolOutput(answer), presentAnswer(mcpToolName(found.server, found.name), answer))
  },
  present: (data, { server, tool }) => presentData(mcpToolName(server, tool), data)
})
