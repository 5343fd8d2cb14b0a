// Describes schema validation errors, in words that follow the field's name.
import { toJsonPointer } from './json-pointer.ts'

export interface SchemaError {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
  message?: string | undefined
  /** The schema that contains the keyword; set by an Ajv that is `verbose`. */
  parentSchema?: object | undefined
}

/** Returns an error with its location. The library names the object with a missing or additional field; people need the field. */
export function describeSchemaError(error: SchemaError): { pointer: string; message: string } {
  const { instancePath, params } = error
  const name = (params.missingProperty ?? params.additionalProperty) as string | undefined
  const suffix = name === undefined ? '' : toJsonPointer([name])
  return { pointer: `${instancePath}${suffix}`, message: schemaErrorMessage(error) }
}

export const schemaErrorMessage = (error: SchemaError): string =>
  WORDS[error.keyword]?.(error) ?? error.message ?? 'is invalid'

const WORDS: Readonly<Record<string, (error: SchemaError) => string>> = {
  type: error =>
    error.params.type === 'object' && schemaProperties(error).length > 0 ? objectMessage(error) : `${error.message}`,
  required: () => 'is required',
  additionalProperties: unknown,
  unevaluatedProperties: unknown,
  enum: ({ params }) =>
    `must be one of ${(params.allowedValues as unknown[]).map(value => JSON.stringify(value)).join(', ')}`,
  minProperties: error =>
    `must have at least ${number(error)} of ${schemaProperties(error).join(', ') || 'its fields'}`,
  minLength: error =>
    error.params.limit === 1 ? 'must not be empty' : `must have at least ${number(error)} characters`,
  maxLength: error => `must have at most ${number(error)} characters`,
  minItems: error => (error.params.limit === 1 ? 'must not be empty' : `must have at least ${number(error)} items`),
  maxItems: error => `must have at most ${number(error)} items`
}

const number = ({ params }: SchemaError) => (params.limit === 1 ? 'one' : String(params.limit))

const objectMessage = (error: SchemaError) => `must be an object of ${schemaProperties(error).join(', ')}`

function unknown(error: SchemaError) {
  const names = schemaProperties(error)
  return names.length === 0 ? 'is unknown' : `is unknown; known: ${names.join(', ')}`
}

const schemaProperties = ({ parentSchema }: SchemaError) =>
  Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {})
