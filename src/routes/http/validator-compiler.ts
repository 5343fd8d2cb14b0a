// Validation of requests for Fastify, by ajv.
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'

/** Formats whose values the server can read: a leap second is a valid time, but none of `Date`. */
function createAjv(options: Options): Ajv {
  const ajv = formats.default(new Ajv(options))
  const { validate } = formats.default.get('date-time') as { validate(text: string): boolean }
  return ajv.addFormat('date-time', text => validate(text) && !Number.isNaN(Date.parse(text)))
}

class SchemaValidators {
  readonly #options: Options
  readonly #compiled = new WeakMap<TSchema, ValidateFunction>()
  #ajv: Ajv | undefined

  constructor(options: Options) {
    this.#options = { allErrors: true, verbose: true, strict: false, meta: false, validateSchema: false, ...options }
  }

  /** Compiles a schema on first use. */
  get(schema: TSchema): ValidateFunction {
    const known = this.#compiled.get(schema)
    if (known) return known
    this.#ajv ??= createAjv(this.#options)
    const compiled = this.#ajv.compile(schema)
    this.#compiled.set(schema, compiled)
    return compiled
  }
}

/** Schemas of routes are constants, so all servers of the process share their validators. */
const bodies = new SchemaValidators({ coerceTypes: false, useDefaults: false, removeAdditional: false })
const others = new SchemaValidators({ coerceTypes: true, useDefaults: true, removeAdditional: false })

/**
 * Validates bodies without coercion; converts numbers in queries, paths and headers from text. Validators are compiled on first
 * use: compiling all would take a third of the startup.
 */
export const compileRequestValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validators = httpPart === 'body' ? bodies : others
  const check = (data: unknown) => {
    const validate = validators.get(schema)
    const valid = validate(data)
    check.errors = validate.errors ?? null
    return valid
  }
  check.errors = null as ErrorObject[] | null
  return check
}
