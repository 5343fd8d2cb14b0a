// Schemas of params as accepted by model APIs. Built-in tools comply by design; those of MCP servers and users may use keywords
// for which an API rejects the whole request. Constraints omitted here are still validated when the tool is called.
import { isObject } from '../text/json-object.ts'
import { parseJsonPointer } from '../text/json-pointer.ts'

type Schema = Record<string, unknown>

const MAX_DESCRIPTION_LENGTH = 1_024
const MAX_REFERENCE_DEPTH = 16

/** Combinators that no API accepts at the top level: their branches are merged. */
const COMBINATORS = ['allOf', 'anyOf', 'oneOf'] as const
/** Keywords that carry no information for a model, or are not allowed at the top level. */
const UNSUPPORTED_AT_TOP: ReadonlySet<string> = new Set([
  ...COMBINATORS,
  'not',
  'if',
  'then',
  'else',
  'enum',
  'const',
  '$ref'
])
const META_KEYWORDS: ReadonlySet<string> = new Set(['$schema', '$id', '$anchor', '$comment', '$vocabulary'])
/** Bounds that models keep anyway, or whose violation the error explains. Some APIs reject them in strict mode. */
const BOUND_KEYWORDS: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minimum',
  'pattern'
])
/** Keywords with subschemas: by name, in a list, single. */
const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas'])
const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set([...COMBINATORS, 'prefixItems'])
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains'
])

/** Converts a schema to a top-level object with all possible properties, and without constructs that an API rejects. */
export function toModelSchema(schema: Schema): { type: 'object'; properties: Schema } & Schema {
  const { properties, required } = flatten(schema, schema, 0)
  const rest = Object.entries(schema).filter(([key]) => !UNSUPPORTED_AT_TOP.has(key) && key !== 'required')
  const made = simplify({ ...Object.fromEntries(rest), properties, ...(required.length > 0 && { required }) }) as Schema
  return { ...made, type: 'object', properties: (made.properties ?? {}) as Schema }
}

/** Removes bounds, at any depth. */
export function withoutBounds<S extends Schema>(schema: S): S {
  const retained = Object.entries(schema).filter(
    ([key, value]) => !BOUND_KEYWORDS.has(key) && !(key === 'additionalProperties' && value === false)
  )
  return Object.fromEntries(retained.map(([key, value]) => [key, removeBounds(key, value)])) as S
}

function removeBounds(key: string, value: unknown): unknown {
  const remove = (inner: unknown) => (isObject(inner) ? withoutBounds(inner) : inner)
  if (SCHEMA_KEYWORDS.has(key)) return remove(value)
  if (SCHEMA_LIST_KEYWORDS.has(key)) return toArray(value).map(remove)
  if (SCHEMA_MAP_KEYWORDS.has(key) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, remove(inner)]))
  return value
}

/** Truncates a description, since OpenAI rejects longer ones. */
export const truncateDescription = (text: string) =>
  text.length <= MAX_DESCRIPTION_LENGTH ? text : `${text.slice(0, MAX_DESCRIPTION_LENGTH - 1).toWellFormed()}…`

interface FlatObject {
  properties: Schema
  required: string[]
}

/** Flattens an object's branches: all their properties, with those that are required in each branch. */
function flatten(schema: unknown, root: Schema, depth: number): FlatObject {
  if (!isObject(schema) || depth > MAX_REFERENCE_DEPTH) return { properties: {}, required: [] }
  const within = (branch: unknown) => flatten(branch, root, depth + 1)
  const all = [
    ...(schema.$ref === undefined ? [] : [resolveReference(schema.$ref, root)]),
    ...toArray(schema.allOf)
  ].map(within)
  const choices = [toArray(schema.anyOf), toArray(schema.oneOf)].map(branches => branches.map(within))
  const own = isObject(schema.properties) ? schema.properties : {}
  const required = toArray(schema.required).filter(name => typeof name === 'string')
  return {
    properties: Object.fromEntries(
      [...choices.flat(), ...all, { properties: own }].flatMap(({ properties }) => Object.entries(properties))
    ),
    required: [...new Set([...required, ...all.flatMap(each => each.required), ...choices.flatMap(requiredInEach)])]
  }
}

const requiredInEach = ([first, ...others]: FlatObject[]) =>
  first ? first.required.filter(name => others.every(({ required }) => required.includes(name))) : []

/** Resolves a reference within the schema. */
function resolveReference(reference: unknown, root: Schema): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined
  return parseJsonPointer(reference.slice(1)).reduce<unknown>(
    (place, key) => (isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined),
    root
  )
}

/** Simplifies a schema: removes uninformative keywords, adds items to each list and truncates descriptions. */
function simplify(given: unknown): unknown {
  if (!isObject(given)) return given
  const schema = mergePatternProperties(given)
  const retained = Object.entries(schema).filter(([key]) => !META_KEYWORDS.has(key))
  const made: Schema = Object.fromEntries(retained.map(([key, value]) => [key, simplifyKeyword(key, value)]))
  const { type } = made
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'))
  return isList && made.items === undefined && made.prefixItems === undefined ? { ...made, items: {} } : made
}

/** Converts pattern properties to additional properties, since not every API supports patterns. */
function mergePatternProperties({ patternProperties, ...schema }: Schema): Schema {
  if (!isObject(patternProperties)) return schema
  const values = Object.values(patternProperties)
  return { ...schema, additionalProperties: values.length === 1 ? values[0] : true }
}

function simplifyKeyword(key: string, value: unknown): unknown {
  if (key === 'description' && typeof value === 'string') return truncateDescription(value)
  if (SCHEMA_KEYWORDS.has(key)) return simplify(value)
  if (SCHEMA_LIST_KEYWORDS.has(key)) return toArray(value).map(simplify)
  if (SCHEMA_MAP_KEYWORDS.has(key) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, simplify(inner)]))
  return value
}

const toArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
