// A tool of an MCP server under its own name in the catalog.
import { Type } from 'typebox'
import type { McpTool } from '../../../host/mcp/mcp-client.ts'
import type { Tool } from '../../../tool/tool.ts'
import { callMcpTool, McpToolOutput, mcpPreview, mcpToolIdentity, mcpToolName, presentAnswer } from './call-mcp-tool.ts'

const toolCache = new WeakMap<McpTool, Tool>()

/** Returns the same object for the lifetime of the tool. */
export function mcpCatalogTool(tool: McpTool): Tool {
  const known = toolCache.get(tool)
  if (known) return known
  const made = describe(tool)
  toolCache.set(tool, made)
  return made
}

function describe(tool: McpTool): Tool {
  const name = mcpToolName(tool.server, tool.name)
  return {
    name,
    version: tool.definition,
    category: 'mcp',
    description: tool.description || `${tool.title ?? tool.name}, of the MCP server ${tool.server}.`,
    // Unlike in the built-in tools, properties missing in the schema are permitted.
    input: Type.Unsafe<Record<string, unknown>>({ additionalProperties: true, ...tool.input }),
    output: tool.output ? Type.Unsafe(tool.output) : McpToolOutput,
    timeout_ms: tool.timeout_ms,
    effect: tool.effect,
    idempotent: tool.idempotent,
    subject: () => ({ approvalReason: `It asks the MCP server ${tool.server}, which may do anything that it can.` }),
    known_as: () => mcpToolIdentity(tool),
    validate: params => tool.validate(params),
    preview: params => mcpPreview(tool, params),
    run: (params, ctx) => callMcpTool(tool, params as Record<string, unknown>, ctx),
    present: data => presentAnswer(tool.title ?? name, data)
  }
}
