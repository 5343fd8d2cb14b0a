// Generates Python models from the OpenAPI document: a TypedDict for each object, a union or another alias for all else.
import { listOperations, type OpenApiDocument, type Operation, type Schema } from '../openapi/document.ts'
import { formatModels } from './format-models.ts'
import { PythonTypes } from './types.ts'

/** Operations have their bodies and answers in this format, if they have several. */
const JSON_TYPE = 'application/json'

/** Returns the text of the module with the models of all components, and of bodies and answers that are no components. */
export function describeModels(document: OpenApiDocument): string {
  const types = new PythonTypes()
  for (const [name, schema] of Object.entries(document.components.schemas)) types.define(name, schema)
  for (const operation of listOperations(document)) defineParts(operation, types)
  return formatModels(types.models)
}

/** Defines the body and the answer of an operation if they are objects without a name. */
function defineParts({ operationId = '', requestBody, responses = {} }: Operation, types: PythonTypes) {
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const parts = { Body: requestBody?.content[JSON_TYPE], Response: answer?.content?.[JSON_TYPE] }
  for (const [part, content] of Object.entries(parts))
    if (isNamelessObject(content?.schema)) types.define(name + part, content.schema)
}

const isNamelessObject = (schema: Schema | undefined): schema is Schema =>
  schema?.properties !== undefined && Object.keys(schema.properties).length > 0
