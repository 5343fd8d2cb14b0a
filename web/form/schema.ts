// Maps JSON Schemas to form fields; schemas that no field can show become JSON.

/** A JSON Schema, as written by tools and MCP servers. */
export type Schema = boolean | { [keyword: string]: unknown }

export interface Property {
  name: string
  schema: Schema
  required: boolean
}

export type Field =
  | { kind: 'text'; long: boolean }
  | { kind: 'number'; whole: boolean; minimum?: number; maximum?: number }
  | { kind: 'flag' }
  | { kind: 'choice'; options: unknown[] }
  | { kind: 'list'; item: Schema }
  | { kind: 'table'; properties: Property[] }
  | { kind: 'map'; item: Schema }
  | { kind: 'variant'; options: Schema[] }
  | { kind: 'json' }

/** Texts up to this many characters are names, patterns and the like: they have one line. */
const MAX_SINGLE_LINE_LENGTH = 1_000
/** Maximum depth of resolved references: some schemas are recursive. */
const MAX_REF_DEPTH = 8

/** Returns the field for a schema. References are resolved against `root`. */
export function toField(schema: Schema, root: Schema): Field {
  const facts = resolveRefs(schema, root)
  if (facts === undefined) return { kind: 'json' }
  if ('const' in facts) return { kind: 'choice', options: [facts.const] }
  if (Array.isArray(facts.enum)) return { kind: 'choice', options: facts.enum }
  const options = facts.anyOf ?? facts.oneOf
  if (Array.isArray(options)) return { kind: 'variant', options: options as Schema[] }
  if (Array.isArray(facts.type))
    return { kind: 'variant', options: (facts.type as string[]).map(type => ({ ...facts, type })) }
  return FIELDS_BY_TYPE[facts.type as string]?.(facts) ?? { kind: 'json' }
}

const FIELDS_BY_TYPE: Record<string, (facts: SchemaKeywords) => Field> = {
  string: facts => ({ kind: 'text', long: !('pattern' in facts || Number(facts.maxLength) <= MAX_SINGLE_LINE_LENGTH) }),
  integer: facts => ({ kind: 'number', whole: true, ...numberLimits(facts) }),
  number: facts => ({ kind: 'number', whole: false, ...numberLimits(facts) }),
  boolean: () => ({ kind: 'flag' }),
  array: facts => ({ kind: 'list', item: isSchema(facts.items) ? facts.items : true }),
  object: facts => {
    if (isPlainObject(facts.properties)) return { kind: 'table', properties: toProperties(facts, facts.properties) }
    const [pattern] = Object.values(isPlainObject(facts.patternProperties) ? facts.patternProperties : {})
    const item = pattern ?? facts.additionalProperties ?? true
    return item === false ? { kind: 'table', properties: [] } : { kind: 'map', item: item as Schema }
  }
}

/** Returns whether a field can show a value. Other values are shown as JSON, so that nothing is hidden. */
export function canShow(field: Field, value: unknown, root: Schema): boolean {
  switch (field.kind) {
    case 'text':
      // A text area supports one kind of line ending; mixed ones would be lost.
      return typeof value === 'string' && !/\r(?!\n)/.test(value) && !(value.includes('\r') && /(?<!\r)\n/.test(value))
    case 'number':
      return typeof value === 'number'
    case 'flag':
      return typeof value === 'boolean'
    case 'choice':
      return field.options.some(option => isSame(option, value))
    case 'list':
      return Array.isArray(value)
    case 'table':
    case 'map':
      return isPlainObject(value)
    case 'variant':
      return findVariant(field.options, value, root) >= 0
    case 'json':
      return true
  }
}

/** Returns the index of the schema that a value matches, or -1. */
export const findVariant = (options: Schema[], value: unknown, root: Schema): number =>
  options.findIndex(option => canShow(toField(option, root), value, root))

/** Returns the initial value of a field. */
export function initialValue(schema: Schema, root: Schema): unknown {
  const field = toField(schema, root)
  switch (field.kind) {
    case 'text':
      return ''
    case 'number':
      return field.minimum ?? 0
    case 'flag':
      return false
    case 'choice':
      return field.options[0]
    case 'list':
      return []
    case 'table':
      return Object.fromEntries(
        field.properties
          .filter(({ required, schema }) => required && isContainer(toField(schema, root)))
          .map(({ name, schema }) => [name, initialValue(schema, root)])
      )
    case 'map':
      return {}
    case 'variant':
      return initialValue(field.options[0] ?? true, root)
    case 'json':
      return null
  }
}

/** Returns the few words that distinguish a variant. */
export function variantLabel(schema: Schema, root: Schema): string {
  const facts = resolveRefs(schema, root)
  if (typeof facts?.title === 'string') return facts.title
  if (facts?.type === 'null') return 'null'
  const field = toField(schema, root)
  return field.kind === 'choice' && field.options.length === 1
    ? JSON.stringify(field.options[0])
    : KIND_LABELS[field.kind]
}

const KIND_LABELS: Record<Field['kind'], string> = {
  text: 'text',
  number: 'number',
  flag: 'yes or no',
  choice: 'one of several',
  list: 'list',
  table: 'fields',
  map: 'names and values',
  variant: 'one of several',
  json: 'JSON'
}

export const descriptionOf = (schema: Schema, root: Schema): string | undefined => {
  const text = (isPlainObject(schema) && schema.description) || resolveRefs(schema, root)?.description
  return typeof text === 'string' ? text : undefined
}

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type SchemaKeywords = Record<string, unknown>

const isSchema = (value: unknown): value is Schema => typeof value === 'boolean' || isPlainObject(value)
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
const isContainer = ({ kind }: Field) => kind === 'table' || kind === 'list' || kind === 'map'

const numberLimits = ({ minimum, maximum }: SchemaKeywords) => ({
  ...(typeof minimum === 'number' && { minimum }),
  ...(typeof maximum === 'number' && { maximum })
})

const toProperties = ({ required }: SchemaKeywords, properties: SchemaKeywords): Property[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: isSchema(schema) ? schema : true,
    required: Array.isArray(required) && required.includes(name)
  }))

/** Resolves the references of a schema within the document; undefined if there is nothing there. */
function resolveRefs(schema: Schema, root: Schema, left = MAX_REF_DEPTH): SchemaKeywords | undefined {
  if (!isPlainObject(schema)) return undefined
  if (typeof schema.$ref !== 'string') return schema
  const target = left > 0 ? lookUpRef(root, schema.$ref) : undefined
  return isSchema(target) ? resolveRefs(target, root, left - 1) : undefined
}

function lookUpRef(root: Schema, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined
  let at: unknown = root
  for (const part of reference.slice(1).split('/').slice(1))
    at = isPlainObject(at) || Array.isArray(at) ? (at as SchemaKeywords)[unescapePointer(part)] : undefined
  return at
}

const unescapePointer = (part: string) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
