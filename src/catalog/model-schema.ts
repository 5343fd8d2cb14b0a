// The schema of a tool's params as the APIs of models take it. Built-in tools are so by themselves; those of MCP servers and
// of users may be written in ways that an API refuses, and with one of them the whole request. What is left out here is still
// checked when the tool is called.
type Schema = Record<string, unknown>

const LONGEST_DESCRIPTION = 1_024
const DEEPEST_REFERENCE = 16

/** Branches that no API takes at the top: what they bring is taken in instead. */
const BRANCHES = ['allOf', 'anyOf', 'oneOf'] as const
/** Keywords that say nothing to a model, or that none may stand at the top. */
const NOT_AT_TOP: ReadonlySet<string> = new Set([...BRANCHES, 'not', 'if', 'then', 'else', 'enum', 'const', '$ref'])
const SAYS_NOTHING: ReadonlySet<string> = new Set(['$schema', '$id', '$anchor', '$comment', '$vocabulary'])
/** Where schemas stand within a schema: by name, in a list, alone. */
const TABLES: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas'])
const LISTS: ReadonlySet<string> = new Set([...BRANCHES, 'prefixItems'])
const SINGLE: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'])

/** An object at the top, with all properties that it may have; nothing that an API stumbles over beneath. */
export function modelSchema(schema: Schema): { type: 'object'; properties: Schema } & Schema {
  const { properties, required } = flat(schema, schema, 0)
  const rest = Object.entries(schema).filter(([key]) => !NOT_AT_TOP.has(key) && key !== 'required')
  const made = tidy({ ...Object.fromEntries(rest), properties, ...(required.length > 0 && { required }) }) as Schema
  return { ...made, type: 'object', properties: (made.properties ?? {}) as Schema }
}

/** Bounded, since OpenAI refuses longer ones. */
export const modelDescription = (text: string) =>
  text.length <= LONGEST_DESCRIPTION ? text : `${text.slice(0, LONGEST_DESCRIPTION - 1).toWellFormed()}…`

interface Flat {
  properties: Schema
  required: string[]
}

/** All properties of an object, whatever branch they stand in, with those that it must have in each. */
function flat(schema: unknown, root: Schema, depth: number): Flat {
  if (!isTable(schema) || depth > DEEPEST_REFERENCE) return { properties: {}, required: [] }
  const within = (branch: unknown) => flat(branch, root, depth + 1)
  const all = [...(schema.$ref === undefined ? [] : [referred(schema.$ref, root)]), ...listIn(schema.allOf)].map(within)
  const choices = [listIn(schema.anyOf), listIn(schema.oneOf)].map(branches => branches.map(within))
  const own = isTable(schema.properties) ? schema.properties : {}
  const required = listIn(schema.required).filter(name => typeof name === 'string')
  return {
    properties: Object.fromEntries(
      [...choices.flat(), ...all, { properties: own }].flatMap(({ properties }) => Object.entries(properties))
    ),
    required: [...new Set([...required, ...all.flatMap(each => each.required), ...choices.flatMap(inEach)])]
  }
}

const inEach = ([first, ...others]: Flat[]) =>
  first ? first.required.filter(name => others.every(({ required }) => required.includes(name))) : []

/** What a reference within the schema means. */
function referred(reference: unknown, root: Schema): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined
  const steps = reference.slice(2).split('/')
  return steps.reduce<unknown>((place, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return isTable(place) && Object.hasOwn(place, key) ? place[key] : undefined
  }, root)
}

/** The same schema without what says nothing, with items for each list and with bounded descriptions. */
function tidy(given: unknown): unknown {
  if (!isTable(given)) return given
  const schema = withAnyName(given)
  const kept = Object.entries(schema).filter(([key]) => !SAYS_NOTHING.has(key))
  const made: Schema = Object.fromEntries(kept.map(([key, value]) => [key, tidied(key, value)]))
  const { type } = made
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'))
  return isList && made.items === undefined && made.prefixItems === undefined ? { ...made, items: {} } : made
}

/** Values under names of a pattern as values under any name: not every API knows patterns. */
function withAnyName({ patternProperties, ...schema }: Schema): Schema {
  if (!isTable(patternProperties)) return schema
  const values = Object.values(patternProperties)
  return { ...schema, additionalProperties: values.length === 1 ? values[0] : true }
}

function tidied(key: string, value: unknown): unknown {
  if (key === 'description' && typeof value === 'string') return modelDescription(value)
  if (SINGLE.has(key)) return tidy(value)
  if (LISTS.has(key)) return listIn(value).map(tidy)
  if (TABLES.has(key) && isTable(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, tidy(inner)]))
  return value
}

const isTable = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
