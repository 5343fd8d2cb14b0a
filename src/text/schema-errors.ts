// Describes schema validation errors, in words that follow the field's name.

export interface SchemaError {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
  message?: string | undefined
  /** The schema that contains the keyword; set by an Ajv that is `verbose`. */
  parentSchema?: object | undefined
}

/** Returns an error with its location. The library names the object with a missing or additional field; people need the field. */
export function describeSchemaError(fault: SchemaError): { pointer: string; message: string } {
  const { instancePath, params } = fault
  const name = (params.missingProperty ?? params.additionalProperty) as string | undefined
  const beneath = name === undefined ? '' : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return { pointer: `${instancePath}${beneath}`, message: schemaErrorMessage(fault) }
}

export const schemaErrorMessage = (fault: SchemaError): string =>
  WORDS[fault.keyword]?.(fault) ?? fault.message ?? 'is not right'

const WORDS: Readonly<Record<string, (fault: SchemaError) => string>> = {
  type: fault =>
    fault.params.type === 'object' && schemaProperties(fault).length > 0 ? objectMessage(fault) : `${fault.message}`,
  required: () => 'is required',
  additionalProperties: unknown,
  unevaluatedProperties: unknown,
  enum: ({ params }) =>
    `must be one of ${(params.allowedValues as unknown[]).map(value => JSON.stringify(value)).join(', ')}`,
  minProperties: fault =>
    `must have at least ${number(fault)} of ${schemaProperties(fault).join(', ') || 'its fields'}`,
  minLength: fault =>
    fault.params.limit === 1 ? 'must not be empty' : `must have at least ${number(fault)} characters`,
  maxLength: fault => `must have at most ${number(fault)} characters`,
  minItems: fault => (fault.params.limit === 1 ? 'must not be empty' : `must have at least ${number(fault)} items`),
  maxItems: fault => `must have at most ${number(fault)} items`
}

const number = ({ params }: SchemaError) => (params.limit === 1 ? 'one' : String(params.limit))

const objectMessage = (fault: SchemaError) => `must be an object of ${schemaProperties(fault).join(', ')}`

function unknown(fault: SchemaError) {
  const names = schemaProperties(fault)
  return names.length === 0 ? 'is unknown' : `is unknown; known are ${names.join(', ')}`
}

const schemaProperties = ({ parentSchema }: SchemaError) =>
  Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {})
