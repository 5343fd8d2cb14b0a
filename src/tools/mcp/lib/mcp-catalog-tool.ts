// A tool of an MCP server under its own name in the catalog.
import { Type } from 'typebox'
import type { McpTool } from '../../../host/mcp/mcp-client.ts'
import type { Tool } from '../../../tool/tool.ts'
import { callMcpTool, McpToolOutput, mcpPreview, mcpRequest, mcpToolName, presentData } from './call-mcp-tool.ts'

/** Describes a tool of an MCP server. */
export function mcpCatalogTool(tool: McpTool): Tool {
  const name = mcpToolName(tool.server, tool.name)
  return {
    name,
    category: 'mcp',
    description: tool.description || `${tool.title ?? tool.name}, a tool of the MCP server ${tool.server}.`,
    // Unlike in the built-in tools, properties missing in the schema are permitted.
    input: Type.Unsafe<Record<string, unknown>>({ additionalProperties: true, ...tool.input }),
    output: tool.output ? Type.Unsafe(tool.output) : McpToolOutput,
    timeout_ms: tool.timeout_ms,
    effect: tool.effect,
    traits: { idempotent: tool.idempotent },
    request: () => mcpRequest(tool),
    plan: params => ({ state: undefined, preview: () => mcpPreview(tool, params) }),
    validate: params => tool.validate(params),
    run: (params, ctx) => callMcpTool(tool, params as Record<string, unknown>, ctx),
    present: data => presentData(tool.title ?? name, data)
  }
}
