// Schemas written by users: validates them, and values against them.
import { Ajv, type ValidateFunction } from 'ajv'
import { schemaErrorMessage } from '../../text/schema-errors.ts'

/** An error in a definition, for its author. */
export class DefinitionError extends Error {}

/** Validates a value; returns the errors, each with its location. */
export type ValueValidator = (value: unknown) => string[]

const MAX_SCHEMA_LENGTH = 65_536
const ANY_OBJECT: Readonly<Record<string, unknown>> = { type: 'object' }

const createAjv = () =>
  new Ajv({ allErrors: true, verbose: true, strict: false, logger: false, validateFormats: false })

/** Parses an object schema for listing and validation. `name` identifies the schema in a definition's errors. */
export function parseObjectSchema(
  name: string,
  given: unknown = ANY_OBJECT
): { schema: Record<string, unknown>; check: ValueValidator } {
  if (given === null || typeof given !== 'object' || Array.isArray(given))
    throw new DefinitionError(`${name}: must be a JSON Schema.`)
  const schema = given as Record<string, unknown>
  if (schema.type !== 'object') throw new DefinitionError(`${name}: must be a schema of type object.`)
  if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH)
    throw new DefinitionError(`${name}: must not be longer than ${MAX_SCHEMA_LENGTH} characters.`)
  return { schema, check: compileValueValidator(name, schema) }
}

export function compileValueValidator(name: string, schema: object): ValueValidator {
  let validate: ValidateFunction
  try {
    validate = createAjv().compile(schema)
  } catch (error) {
    throw new DefinitionError(`${name}: is not a supported schema: ${(error as Error).message}.`)
  }
  return value => {
    if (validate(value)) return []
    return validate.errors!.map(
      error => `${formatFieldPrefix(error.instancePath, error.params)}${schemaErrorMessage(error)}`
    )
  }
}

/** Formats the name of a missing or additional field. */
function formatFieldPrefix(instancePath: string, params: Record<string, unknown>): string {
  const name = params.missingProperty ?? params.additionalProperty
  const place = `${instancePath}${name === undefined ? '' : `/${String(name)}`}`
  return place === '' ? '' : `${place.slice(1)} `
}
