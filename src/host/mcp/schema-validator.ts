// JSON Schemas that a server gives: whether we can hold values against them without ever working for long.
//
// Patterns are left out of what we check, and so is all else whose cost the server could choose: it checks that itself.
// A schema that refers to itself is not checked here at all.
import type { ErrorObject } from 'ajv'

/** Keywords that a server could make expensive. */
const UNCHECKED: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'format',
  'uniqueItems',
  '$schema',
  '$id'
])
/** Keywords whose values are data, and no schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'description', 'title', 'required'])
/** Keywords whose values are schemas by name. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas'])
/** Schemas that are gone through for one value, references followed. */
const MOST_STEPS = 5_000

export interface Check {
  /** What is wrong with a value; undefined where nothing is. */
  faults(value: unknown): ErrorObject[] | undefined
}

type Schema = Record<string, unknown>

const ANYTHING: Check = { faults: () => undefined }

/** Throws what is wrong with the schema. */
export async function checkOf(schema: Schema): Promise<Check> {
  const cost = new Cost(schema)
  const steps = cost.of(schema)
  if (steps > MOST_STEPS) throw new Error(`checking a value against it takes more than ${MOST_STEPS} steps`)
  if (cost.recurs) return ANYTHING
  const ajv = await (LEGACY.test(String(schema.$schema)) ? drafts.legacy() : drafts.current())
  const plain = checked(schema) as Schema
  const check = ajv.compile(plain)
  ajv.removeSchema(plain)
  return { faults: value => (check(value) ? undefined : (check.errors ?? [])) }
}

const LEGACY = /draft-0[467]/

const OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: false,
  inlineRefs: false,
  meta: false,
  validateSchema: false,
  logger: false
} as const

/** Made when the first server is met. */
const drafts = {
  current: once(async () => new (await import('./schema-drafts.ts')).Ajv2020(OPTIONS)),
  legacy: once(async () => new (await import('./schema-drafts.ts')).Ajv(OPTIONS))
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** The schema without what is not checked. */
function checked(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(checked)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !UNCHECKED.has(keyword))
      .map(([keyword, value]) => {
        if (DATA.has(keyword)) return [keyword, value]
        if (NAMED.has(keyword) && isObject(value))
          return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, checked(each)]))]
        return [keyword, checked(value)]
      })
  )
}

/** How many schemas are gone through for one value. */
class Cost {
  readonly #root: Schema
  readonly #known = new Map<object, number>()
  readonly #under_way = new Set<object>()
  /** It refers to itself somewhere. */
  recurs = false

  constructor(root: Schema) {
    this.#root = root
  }

  of(schema: unknown): number {
    if (Array.isArray(schema)) return schema.reduce<number>((sum, each) => sum + this.of(each), 0)
    if (!isObject(schema)) return 0
    const known = this.#known.get(schema)
    if (known !== undefined) return known
    if (this.#under_way.has(schema)) {
      this.recurs = true
      return 1
    }
    this.#under_way.add(schema)
    let steps = 1
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$ref' || keyword === '$dynamicRef') steps += this.of(this.#led(value))
      else if (keyword === '$defs' || keyword === 'definitions' || DATA.has(keyword)) continue
      else if (NAMED.has(keyword) && isObject(value)) steps += this.of(Object.values(value))
      else steps += this.of(value)
    }
    this.#under_way.delete(schema)
    this.#known.set(schema, steps)
    return steps
  }

  /** Where a reference leads. */
  #led(reference: unknown): unknown {
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference))
      throw new Error(
        `it refers to ${JSON.stringify(String(reference).slice(0, 100))}, and only what is in it is looked at`
      )
    let at: unknown = this.#root
    for (const part of reference.slice(1).split('/').slice(1)) {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
      at = isObject(at) || Array.isArray(at) ? (at as Schema)[name] : undefined
    }
    if (at === undefined) throw new Error(`it refers to ${JSON.stringify(reference.slice(0, 100))}, which is not there`)
    return at
  }
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
