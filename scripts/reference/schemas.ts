// Formats of schemas in the API reference: a type in one line, and tables of fields.
import { describe, type Html, html } from './html.ts'

/** A JSON schema, as far as the API document uses it. */
export interface Schema {
  $ref?: string
  title?: string
  description?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  discriminator?: { propertyName: string; mapping: Record<string, string> }
}

/** Formats the type of a schema in one line, with links to schemas that have a name. */
export function formatType(schema: Schema): Html {
  const { $ref, items, additionalProperties, properties } = schema
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if ($ref !== undefined) return linkTo(nameOf($ref))
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum)
    return join(
      schema.enum.map(value => html`<code>${JSON.stringify(value)}</code>`),
      ' | '
    )
  if (branches) return join(branches.map(formatType), schema.allOf ? ' & ' : ' | ')
  if (items) return html`array of ${formatType(items)}`
  if (typeof additionalProperties === 'object' && !properties)
    return html`object of ${formatType(additionalProperties)}`
  return html`${[schema.type ?? 'any'].flat().join(' | ')}${schema.format && ` (${schema.format})`}`
}

/** Formats the fields of an object as a table. A union has one table for each branch with fields. */
export function formatFields(schema: Schema): Html[] {
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []
  const { properties = {}, required = [] } = schema
  const rows = Object.entries(properties).map(([name, field]) => formatField(name, field, required.includes(name)))
  const table = rows.length > 0 ? [html`<table>${rows}</table>`] : []
  return [...table, ...branches.flatMap(branch => ('$ref' in branch ? [] : formatFields(branch)))]
}

/** Formats a field as a row of a table, with the fields of an object in it. */
export const formatField = (name: string, schema: Schema, required: boolean): Html =>
  html`<tr><th><code>${name}</code>${required && html` <span class="required">required</span>`}</th>
<td><span class="type">${formatType(schema)}${formatBounds(schema)}</span>${schema.description !== undefined && html` · ${describe(schema.description)}`}
${formatFields(schema.items ?? schema)}</td></tr>`

/** Bounds of a value, by keyword. */
const BOUNDS = {
  default: 'default',
  minimum: 'minimum',
  maximum: 'maximum',
  maxLength: 'maximum length',
  maxItems: 'maximum items',
  pattern: 'pattern'
} as const

const formatBounds = (schema: Schema): string =>
  Object.entries(BOUNDS)
    .filter(([keyword]) => keyword in schema)
    .map(([keyword, label]) => `, ${label} ${schema[keyword as keyof typeof BOUNDS]}`)
    .join('')

export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)

const linkTo = (name: string): Html => html`<a href="#${name}">${name}</a>`

const join = (parts: readonly Html[], separator: string): Html => ({
  html: parts.map(part => part.html).join(separator)
})
