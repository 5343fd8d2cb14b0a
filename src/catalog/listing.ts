// Tool listings in the formats of models and agents: one declaration, six formats. Except in the native one, names, descriptions
// and schemas are accepted by every API.
import type { ListingFormat } from '../protocol/tools.ts'
import { primaryParam } from '../tool/primary-param.ts'
import type { Effect } from '../tool/request.ts'
import type { Tool } from '../tool/tool.ts'
import { toAlias } from './alias.ts'
import { toModelSchema, truncateDescription, withoutBounds } from './model-schema.ts'
import { inputSchema, toPlainJson } from './schema.ts'

/** Formatters of a tool by listing format. */
export const LISTING_FORMATS = {
  native: (tool: Tool) => ({
    name: tool.name,
    category: tool.category,
    description: tool.description,
    input: inputSchema(tool),
    output: toPlainJson(tool.output),
    primary: primaryParam(tool) ?? null,
    effect: tool.effect,
    timeout_ms: typeof tool.timeout_ms === 'function' ? null : tool.timeout_ms,
    idempotent: tool.traits?.idempotent ?? false
  }),
  /** Format of the Chat Completions API. */
  openai: (tool: Tool) => {
    const { name, description, schema } = toModelTool(tool)
    return { type: 'function' as const, function: { name, description, parameters: schema } }
  },
  /** The flat functions of the first API with functions. */
  'openai-functions': (tool: Tool) => {
    const { name, description, schema } = toModelTool(tool)
    return { name, description, parameters: schema }
  },
  /** Format of the Responses API, which is strict by default: all params would be required. */
  'openai-responses': (tool: Tool) => {
    const { name, description, schema } = toModelTool(tool)
    return { type: 'function' as const, name, description, parameters: schema, strict: false }
  },
  anthropic: (tool: Tool) => {
    const { name, description, schema } = toModelTool(tool)
    return { name, description, input_schema: schema }
  },
  mcp: (tool: Tool) => {
    const { name, description, schema } = toCompatibleTool(tool)
    const output = toPlainJson(tool.output)
    return {
      name,
      description,
      // MCP requires the dialect of a schema that names one.
      inputSchema: { ...pick(tool.input, '$schema'), ...schema },
      // MCP supports only objects as structured output.
      ...(output.type === 'object' && { outputSchema: { ...output, type: 'object' as const } }),
      annotations: mcpAnnotations(tool)
    }
  }
} satisfies Record<ListingFormat, (tool: Tool) => Record<string, unknown>>

const pick = (schema: object, key: string) => (key in schema ? { [key]: (schema as Record<string, unknown>)[key] } : {})

const toCompatibleTool = (tool: Tool) => ({
  name: toAlias(tool.name),
  description: truncateDescription(tool.description),
  schema: toModelSchema(inputSchema(tool))
})

function toModelTool(tool: Tool) {
  const compatible = toCompatibleTool(tool)
  return { ...compatible, schema: withoutBounds(compatible.schema) }
}

/** Derives MCP's hints from the effect; if it depends on the params, from the worst case. */
function mcpAnnotations({ effect, traits }: Tool) {
  const worst: Effect = effect === 'depends' ? 'destructive' : effect
  return {
    readOnlyHint: worst === 'read',
    destructiveHint: worst === 'destructive' || worst === 'execute' || worst === 'write',
    idempotentHint: traits?.idempotent ?? false,
    openWorldHint: worst === 'network' || worst === 'execute'
  }
}
