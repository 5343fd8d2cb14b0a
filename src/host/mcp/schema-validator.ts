// Validates values against a server's JSON Schemas with bounded cost.
//
// Patterns are not checked, and neither are other keywords whose cost the server could choose: it checks them itself. A recursive
// schema is not checked at all.
import type { ErrorObject } from 'ajv'
import { isObject } from '../../text/json-object.ts'
import { parseJsonPointer } from '../../text/json-pointer.ts'

/** Keywords that a server could make expensive. */
const UNCHECKED_KEYWORDS: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'format',
  'uniqueItems',
  '$schema',
  '$id'
])
/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set([
  'const',
  'enum',
  'default',
  'examples',
  'description',
  'title',
  'required'
])
/** Keywords whose values are schemas by name. */
const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas'])
/** Maximum number of schemas evaluated for one value, references followed. */
const MAX_VALIDATION_STEPS = 5_000

export interface SchemaValidator {
  /** Returns the validation errors of a value; undefined if it is valid. */
  validate(value: unknown): ErrorObject[] | undefined
}

type Schema = Record<string, unknown>

const ACCEPT_ALL: SchemaValidator = { validate: () => undefined }

/** Throws the errors of an invalid schema. */
export async function compileValidator(schema: Schema): Promise<SchemaValidator> {
  const cost = new ValidationCost(schema)
  const steps = cost.stepsFor(schema)
  if (steps > MAX_VALIDATION_STEPS) throw new Error(`the validation takes more than ${MAX_VALIDATION_STEPS} steps`)
  if (cost.isRecursive) return ACCEPT_ALL
  const ajv = await (LEGACY_DRAFT_PATTERN.test(String(schema.$schema)) ? ajvByDraft.legacy() : ajvByDraft.current())
  const plain = withoutUncheckedKeywords(schema) as Schema
  const check = ajv.compile(plain)
  ajv.removeSchema(plain)
  return { validate: value => (check(value) ? undefined : (check.errors ?? [])) }
}

const LEGACY_DRAFT_PATTERN = /draft-0[467]/

const OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: false,
  inlineRefs: false,
  meta: false,
  validateSchema: false,
  logger: false
} as const

/** Created on first use. */
const ajvByDraft = {
  current: once(async () => new (await import('./schema-drafts.ts')).Ajv2020(OPTIONS)),
  legacy: once(async () => new (await import('./schema-drafts.ts')).Ajv(OPTIONS))
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Removes the unchecked keywords from a schema. */
function withoutUncheckedKeywords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutUncheckedKeywords)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !UNCHECKED_KEYWORDS.has(keyword))
      .map(([keyword, value]) => {
        if (DATA_KEYWORDS.has(keyword)) return [keyword, value]
        if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value))
          return [
            keyword,
            Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutUncheckedKeywords(each)]))
          ]
        return [keyword, withoutUncheckedKeywords(value)]
      })
  )
}

/** Counts the schemas evaluated for one value. */
class ValidationCost {
  readonly #root: Schema
  readonly #known = new Map<object, number>()
  readonly #inProgress = new Set<object>()
  /** The schema refers to itself. */
  isRecursive = false

  constructor(root: Schema) {
    this.#root = root
  }

  stepsFor(schema: unknown): number {
    if (Array.isArray(schema)) return schema.reduce<number>((sum, each) => sum + this.stepsFor(each), 0)
    if (!isObject(schema)) return 0
    const known = this.#known.get(schema)
    if (known !== undefined) return known
    if (this.#inProgress.has(schema)) {
      this.isRecursive = true
      return 1
    }
    this.#inProgress.add(schema)
    let steps = 1
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$ref' || keyword === '$dynamicRef') steps += this.stepsFor(this.#resolveRef(value))
      else if (keyword === '$defs' || keyword === 'definitions' || DATA_KEYWORDS.has(keyword)) continue
      else if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value)) steps += this.stepsFor(Object.values(value))
      else steps += this.stepsFor(value)
    }
    this.#inProgress.delete(schema)
    this.#known.set(schema, steps)
    return steps
  }

  /** Resolves a reference. */
  #resolveRef(reference: unknown): unknown {
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference))
      throw new Error(
        `the schema refers to ${JSON.stringify(String(reference).slice(0, 100))}, but external references are not supported`
      )
    let at: unknown = this.#root
    for (const name of parseJsonPointer(decodeURIComponent(reference.slice(1)))) {
      at = isObject(at) || Array.isArray(at) ? (at as Schema)[name] : undefined
    }
    if (at === undefined)
      throw new Error(`the schema refers to ${JSON.stringify(reference.slice(0, 100))}, which does not exist`)
    return at
  }
}
