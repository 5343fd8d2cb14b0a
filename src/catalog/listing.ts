// The catalogue in the forms that models and agents take: one declaration, five dialects. All but the server's own have names,
// descriptions and schemas that no API refuses.
import { primaryParam } from '../tool/primary-param.ts'
import type { Effect, Tool } from '../tool/tool.ts'
import { toAlias } from './alias.ts'
import { toModelSchema, truncateDescription } from './model-schema.ts'
import { inputSchema, toPlainJson } from './schema.ts'

/** How a tool is written in each dialect. */
export const LISTING_FORMATS = {
  native: (tool: Tool) => ({
    name: tool.name,
    category: tool.category,
    description: tool.description,
    input: inputSchema(tool),
    output: toPlainJson(tool.output),
    primary: primaryParam(tool) ?? null,
    effect: typeof tool.effect === 'function' ? 'depends' : tool.effect,
    timeout_ms: typeof tool.timeout_ms === 'function' ? null : tool.timeout_ms,
    idempotent: tool.idempotent ?? false
  }),
  /** Chat Completions. */
  openai: (tool: Tool) => {
    const { name, description, schema } = toModelTool(tool)
    return { type: 'function' as const, function: { name, description, parameters: schema } }
  },
  /** The Responses API. It would be strict by default, and then every param would have to be given. */
  'openai-responses': (tool: Tool) => {
    const { name, description, schema } = toModelTool(tool)
    return { type: 'function' as const, name, description, parameters: schema, strict: false }
  },
  anthropic: (tool: Tool) => {
    const { name, description, schema } = toModelTool(tool)
    return { name, description, input_schema: schema }
  },
  mcp: (tool: Tool) => {
    const { name, description, schema } = toModelTool(tool)
    const output = toPlainJson(tool.output)
    return {
      name,
      description,
      // The protocol wants to know the dialect of a schema that names one.
      inputSchema: { ...pick(tool.input, '$schema'), ...schema },
      // The protocol has no place for an answer that is no object.
      ...(output.type === 'object' && { outputSchema: { ...output, type: 'object' as const } }),
      annotations: mcpAnnotations(tool)
    }
  }
} satisfies Record<string, (tool: Tool) => Record<string, unknown>>

export type ListingFormat = keyof typeof LISTING_FORMATS
export const LISTING_FORMAT_NAMES = Object.keys(LISTING_FORMATS) as ListingFormat[]

const pick = (schema: object, key: string) => (key in schema ? { [key]: (schema as Record<string, unknown>)[key] } : {})

const toModelTool = (tool: Tool) => ({
  name: toAlias(tool.name),
  description: truncateDescription(tool.description),
  schema: toModelSchema(inputSchema(tool))
})

/** MCP's hints follow from the effect; where it depends on the params, the worst is said. */
function mcpAnnotations({ effect, idempotent }: Tool) {
  const worst: Effect = typeof effect === 'function' ? 'destructive' : effect
  return {
    readOnlyHint: worst === 'read',
    destructiveHint: worst === 'destructive' || worst === 'execute' || worst === 'write',
    idempotentHint: idempotent ?? false,
    openWorldHint: worst === 'network' || worst === 'execute'
  }
}
