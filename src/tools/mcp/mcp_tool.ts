import { Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { defineTool } from '../../tool/tool.ts'
import { withProgress } from '../../tool/with-progress.ts'
import {
  McpToolOutput,
  mcpPreview,
  mcpToolIdentity,
  mcpToolName,
  presentAnswer,
  rememberAnswer,
  toMcpToolOutput
} from './lib/call-mcp-tool.ts'

export default defineTool({
  name: 'mcp_tool',
  category: 'mcp',
  needsMcpServers: true,
  description:
    'Call a tool of an MCP server by the names of both. Each such tool is also served as `mcp:<server>:<tool>`.',
  input: Type.Object(
    {
      server: Type.String({ minLength: 1, maxLength: 64, description: 'Name of the server, as it is configured.' }),
      tool: Type.String({ minLength: 1, maxLength: 128, description: 'Name of the tool, as the server calls it.' }),
      arguments: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: 'What the tool takes; by default nothing.' })
      )
    },
    { additionalProperties: false }
  ),
  output: McpToolOutput,
  // The server's own limit applies within it.
  timeout_ms: 600_000,
  effect: async ({ server, tool }, { host }) => (await host.mcp.tool(server, tool)).effect,
  subject: ({ server }) => ({ approvalReason: `It asks the MCP server ${server}, which may do anything that it can.` }),
  known_as: async ({ server, tool }, { host }) => mcpToolIdentity(await host.mcp.tool(server, tool)),
  stands_on: async ({ server, tool }, { host }) => (await host.mcp.tool(server, tool)).definition,
  async check({ server, tool, arguments: args = {} }, { host }) {
    const found = await host.mcp.tool(server, tool)
    const errors = found
      .validate(args)
      .map(({ pointer, message }) => ({ pointer: `/params/arguments${pointer}`, message }))
    const [first] = errors
    if (first) throw new ToolError('INVALID_PARAMS', `${first.pointer} ${first.message}.`, { errors })
  },
  preview: async ({ server, tool, arguments: args = {} }, { host }) =>
    mcpPreview(await host.mcp.tool(server, tool), args),
  async *run({ server, tool, arguments: args = {} }, { host }) {
    const found = await host.mcp.tool(server, tool)
    const { timeout_ms } = found
    const answer = yield* withProgress(onProgress => host.mcp.call(found, args, { onProgress, timeout_ms }))
    const data = toMcpToolOutput(answer)
    rememberAnswer(data, answer)
    return data
  },
  present: (data, { server, tool }) => presentAnswer(mcpToolName(server, tool), data)
})
