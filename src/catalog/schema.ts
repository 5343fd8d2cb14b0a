// The schemas of a tool as plain JSON.
import type { Tool } from '../tool/tool.ts'

/** The tool's input as JSON Schema; what it does not name is refused. */
export const inputSchema = ({ input }: Pick<Tool, 'input'>): Record<string, unknown> => ({
  additionalProperties: false,
  ...toPlainJson(input)
})

/** A schema as plain JSON, without its type-level helpers. */
export const toPlainJson = (schema: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema)) as Record<string, unknown>
