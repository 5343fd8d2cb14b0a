// Schemas that users write: whether they can be used, and whether a value fits one.
import { Ajv, type ValidateFunction } from 'ajv'
import { faultWords } from '../../text/schema-errors.ts'

/** Why a definition cannot be served, for whoever wrote it. */
export class DefinitionFault extends Error {}

/** Checks a value; answers what is wrong with it, each with its place. */
export type Check = (value: unknown) => string[]

const MOST_BYTES = 65_536
const OBJECT: Readonly<Record<string, unknown>> = { type: 'object' }

const ajv = () => new Ajv({ allErrors: true, verbose: true, strict: false, logger: false, validateFormats: false })

/** A schema as it is served, and how values are held against it. `name` says which of a definition's it is. */
export function objectSchema(name: string, given: unknown = OBJECT): { schema: Record<string, unknown>; check: Check } {
  if (given === null || typeof given !== 'object' || Array.isArray(given))
    throw new DefinitionFault(`${name}: must be a JSON Schema.`)
  const schema = given as Record<string, unknown>
  if (schema.type !== 'object') throw new DefinitionFault(`${name}: must be a schema of type object.`)
  if (JSON.stringify(schema).length > MOST_BYTES)
    throw new DefinitionFault(`${name}: must be no longer than ${MOST_BYTES} characters.`)
  return { schema, check: checkOf(name, schema) }
}

export function checkOf(name: string, schema: object): Check {
  let validate: ValidateFunction
  try {
    validate = ajv().compile(schema)
  } catch (error) {
    throw new DefinitionFault(`${name}: is no schema that can be used: ${(error as Error).message}.`)
  }
  return value => {
    if (validate(value)) return []
    return validate.errors!.map(fault => `${placeOf(fault.instancePath, fault.params)}${faultWords(fault)}`)
  }
}

/** Names the field that is missing or too many. */
function placeOf(instancePath: string, params: Record<string, unknown>): string {
  const name = params.missingProperty ?? params.additionalProperty
  const place = `${instancePath}${name === undefined ? '' : `/${String(name)}`}`
  return place === '' ? '' : `${place.slice(1)} `
}
