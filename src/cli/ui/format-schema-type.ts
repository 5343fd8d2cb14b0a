// Formats schemas as types, for people who write a value.
import { toSafeJson } from './terminal.ts'

export interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  $ref?: string
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  items?: JsonSchema
  description?: string
  properties?: Record<string, JsonSchema>
  patternProperties?: Record<string, JsonSchema>
  additionalProperties?: boolean | JsonSchema
  required?: string[]
}

export function formatSchemaType(schema: JsonSchema): string {
  const { enum: values, const: only, $ref, items } = schema
  if (values) return values.map(value => toSafeJson(value)).join(' | ')
  if (only !== undefined) return toSafeJson(only)
  if ($ref !== undefined) return $ref.split('/').at(-1)!
  const several = schemaAlternatives(schema)
  if (several.length > 1) return [...new Set(several.map(formatSchemaType))].join(' | ')
  const [one = schema] = several
  if (one !== schema) return formatSchemaType(one)
  if (schema.type === 'array') return formatList(items ? formatSchemaType(items) : 'any')
  if (schema.type === 'object') return formatObject(schema)
  return String(schema.type ?? 'any')
}

/** Returns the alternatives of a schema: itself, if there is no choice. */
export function schemaAlternatives(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf, oneOf, type } = schema
  if (Array.isArray(type)) return type.map(each => ({ ...schema, type: each }))
  return anyOf ?? oneOf ?? [schema]
}

const formatList = (item: string) => (/[ |]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`)

/** Formats an object by its fields; one with arbitrary names by their values. */
function formatObject({ properties, patternProperties = {}, additionalProperties, required = [] }: JsonSchema): string {
  const names = Object.keys(properties ?? {})
  if (names.length > 0) return `{ ${names.map(name => (required.includes(name) ? name : `${name}?`)).join(', ')} }`
  const [value = additionalProperties] = Object.values(patternProperties)
  return typeof value === 'object' ? `{ [name]: ${formatSchemaType(value)} }` : 'object'
}
