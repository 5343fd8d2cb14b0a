// Schemas in the words of the documents.

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

/** A schema as the plain JSON it stands for. */
export const toSchema = (schema: object) => JSON.parse(JSON.stringify(schema)) as Schema

/** What may stand there. */
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

/** A field at any depth. Its path tells lists by `[]`, and ends in `?` where it may be left out. */
export interface SchemaField {
  path: string
  schema: Schema
}

/** Every field, those beneath after the one that holds them. */
export function listFields({ properties = {}, required = [] }: Schema, above = ''): SchemaField[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${above}${name}`
    const list = schema.type === 'array'
    const inner = list ? (schema.items ?? {}) : schema
    const may = required.includes(name) ? '' : '?'
    return [{ path: `${path}${may}`, schema }, ...listFields(inner, `${path}${list ? '[]' : ''}.`)]
  })
}

/** A Markdown table. */
export function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A table of fields. */
export const markdownFieldTable = (heading: string, fields: readonly SchemaField[]): string =>
  markdownTable(
    [heading, 'is', 'means'],
    fields.map(({ path, schema }) => [`\`${path}\``, formatType(schema), schema.description ?? ''])
  )

/** Where a heading of this text is on its page. */
export const headingAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
