// The catalogue in the forms that models and agents take: one declaration, four dialects.
import type { Effect, Tool } from '../tool.ts'
import { inputSchema, plain } from './catalog.ts'

type Format = 'native' | 'openai' | 'anthropic' | 'mcp'

/** How a tool is written in each dialect. */
export const LISTINGS: Record<Format, (tool: Tool) => Record<string, unknown>> = {
  native: tool => ({
    name: tool.name,
    category: tool.category,
    description: tool.description,
    input: inputSchema(tool),
    output: plain(tool.output),
    effect: typeof tool.effect === 'function' ? 'depends' : tool.effect,
    timeout_ms: typeof tool.timeout_ms === 'function' ? null : tool.timeout_ms,
    idempotent: tool.idempotent ?? false
  }),
  openai: tool => ({
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: inputSchema(tool) }
  }),
  anthropic: tool => ({ name: tool.name, description: tool.description, input_schema: inputSchema(tool) }),
  mcp: tool => ({
    name: tool.name,
    description: tool.description,
    inputSchema: inputSchema(tool),
    outputSchema: plain(tool.output),
    annotations: hints(tool)
  })
}

/** MCP's hints follow from the effect; where it depends on the params, the worst is said. */
function hints({ effect, idempotent }: Tool) {
  const worst: Effect = typeof effect === 'function' ? 'destructive' : effect
  return {
    readOnlyHint: worst === 'read',
    destructiveHint: worst === 'destructive' || worst === 'execute' || worst === 'write',
    idempotentHint: idempotent ?? false,
    openWorldHint: worst === 'network' || worst === 'execute'
  }
}
