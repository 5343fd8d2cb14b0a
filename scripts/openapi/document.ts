// Types of the OpenAPI document, as far as its generation changes it.

/** A JSON schema, or a reference to one. */
export type Schema = Record<string, unknown> & {
  $ref?: string
  title?: string
  description?: string
  type?: string
  enum?: unknown[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  discriminator?: { propertyName: string; mapping: Record<string, string> }
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
  properties?: Record<string, Schema>
  required?: string[]
}

export interface Parameter {
  name?: string
  in?: string
  required?: boolean
  schema?: Schema
  example?: unknown
  $ref?: string
}

export interface Response {
  description?: string | undefined
  content?: Record<string, { schema?: Schema }>
  $ref?: string
}

export interface Operation {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
  responses?: Record<string, Response>
}

export interface OpenApiDocument {
  info: { version: string }
  components: {
    schemas: Record<string, Schema>
    parameters?: Record<string, unknown>
    responses?: Record<string, unknown>
    examples?: Record<string, unknown>
  }
  paths: Record<string, Record<string, Operation>>
}

export const schemaReference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Returns the name of the component that a schema refers to; undefined for any other schema. */
export const referencedName = ({ $ref }: Schema): string | undefined => $ref?.replace('#/components/schemas/', '')

/** Lists the operations of all paths. */
export const listOperations = ({ paths }: OpenApiDocument): Operation[] => Object.values(paths).flatMap(Object.values)
