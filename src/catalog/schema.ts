// Converts the schemas of a tool to plain JSON.
import type { Tool } from '../tool/tool.ts'

/** Returns the tool's input as JSON Schema; additional properties are rejected. */
export const inputSchema = ({ input }: Pick<Tool, 'input'>): Record<string, unknown> => ({
  additionalProperties: false,
  ...toPlainJson(input)
})

/** Returns a schema as plain JSON, without type-level metadata. */
export const toPlainJson = (schema: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema)) as Record<string, unknown>
