// Formats schemas as Markdown.

export interface Schema {
  type?: string
  enum?: unknown[]
  const?: unknown
  $ref?: string
  anyOf?: Schema[]
  items?: Schema
  default?: unknown
  description?: string
  minimum?: number
  maximum?: number
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
}

/** Converts a schema to plain JSON. */
export const toSchema = (schema: object) => JSON.parse(JSON.stringify(schema)) as Schema

/** Formats the type of a value. */
export function formatType(schema: Schema): string {
  const { type, enum: values, const: only, $ref, anyOf, items, minimum, maximum, properties } = schema
  if (values) return values.map(value => `\`${value}\``).join(', ')
  if (only !== undefined) return `\`${only}\``
  if ($ref) return `[${$ref.split('/').at(-1)}](../openapi.yaml)`
  if (anyOf) return anyOf.map(formatType).join(' or ')
  if (type === 'array') return SCALARS.includes(items?.type ?? '') ? `list of ${items!.type}s` : 'list'
  if (type === 'object') return properties ? 'object' : 'object by name'
  if (type !== 'integer' && type !== 'number') return type ?? 'anything'
  const from = minimum === undefined ? '' : ` from ${minimum}`
  return `${type}${from}${maximum === undefined ? '' : ` to ${maximum}`}`
}

const SCALARS = ['string', 'integer', 'number', 'boolean']

/** A field at any depth. Its path marks lists by `[]`, and ends in `?` if it is optional. */
export interface SchemaField {
  path: string
  schema: Schema
}

/** Lists all fields, nested ones after their parent. */
export function listFields({ properties = {}, required = [] }: Schema, above = ''): SchemaField[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${above}${name}`
    const list = schema.type === 'array'
    const inner = list ? (schema.items ?? {}) : schema
    const may = required.includes(name) ? '' : '?'
    return [{ path: `${path}${may}`, schema }, ...listFields(inner, `${path}${list ? '[]' : ''}.`)]
  })
}

/** Formats a Markdown table. */
export function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Formats a table of fields. */
export const markdownFieldTable = (heading: string, fields: readonly SchemaField[]): string =>
  markdownTable(
    [heading, 'type', 'description'],
    fields.map(({ path, schema }) => [`\`${path}\``, formatType(schema), schema.description ?? ''])
  )

/** Returns the anchor of a heading. */
export const headingAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
