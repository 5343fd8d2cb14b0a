// What a schema takes, as a type is written: for people who are to write a value of it.
import { safeJson } from './terminal.ts'

export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  $ref?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  description?: string
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
}

export function typeOf(schema: Schema): string {
  const { enum: values, const: only, $ref, items } = schema
  if (values) return values.map(value => safeJson(value)).join(' | ')
  if (only !== undefined) return safeJson(only)
  if ($ref !== undefined) return $ref.split('/').at(-1)!
  const several = alternatives(schema)
  if (several.length > 1) return [...new Set(several.map(typeOf))].join(' | ')
  const [one = schema] = several
  if (one !== schema) return typeOf(one)
  if (schema.type === 'array') return listOf(items ? typeOf(items) : 'any')
  if (schema.type === 'object') return objectOf(schema)
  return String(schema.type ?? 'any')
}

/** The schemas of which a value has to fit one: itself, where it leaves no choice. */
export function alternatives(schema: Schema): readonly Schema[] {
  const { anyOf, oneOf, type } = schema
  if (Array.isArray(type)) return type.map(each => ({ ...schema, type: each }))
  return anyOf ?? oneOf ?? [schema]
}

const listOf = (item: string) => (/[ |]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`)

/** By its fields; one that takes any name by what stands there. */
function objectOf({ properties, patternProperties = {}, additionalProperties, required = [] }: Schema): string {
  const names = Object.keys(properties ?? {})
  if (names.length > 0) return `{ ${names.map(name => (required.includes(name) ? name : `${name}?`)).join(', ')} }`
  const [value = additionalProperties] = Object.values(patternProperties)
  return typeof value === 'object' ? `{ [name]: ${typeOf(value)} }` : 'object'
}
