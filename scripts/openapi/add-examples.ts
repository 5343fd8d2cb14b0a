// Adds the examples to the operations of the document.
import type { OpenApiDocument, Operation, Schema } from './document.ts'
import { listOperations } from './document.ts'
import {
  CALL_EXAMPLES,
  OPERATION_PARAMETERS,
  PARAMETER_EXAMPLES,
  REQUEST_EXAMPLES,
  RESPONSE_EXAMPLES,
  SHARED_EXAMPLES
} from './examples.ts'

interface Content {
  schema?: Schema
  example?: unknown
  examples?: Record<string, unknown>
}

/** Adds an example to each required parameter, and to the request or the response of each operation. */
export function addExamples(document: OpenApiDocument) {
  for (const operation of listOperations(document)) {
    addParameters(operation)
    addRequest(operation)
    addResponses(operation)
  }
  document.components.examples = Object.fromEntries(
    Object.entries(SHARED_EXAMPLES).map(([name, value]) => [name, { value }])
  )
}

function addParameters({ operationId, parameters = [] }: Operation) {
  const values = { ...PARAMETER_EXAMPLES, ...OPERATION_PARAMETERS[operationId!] }
  for (const parameter of parameters)
    if ((parameter.required || parameter.in === 'header') && parameter.name! in values)
      parameter.example = values[parameter.name!]
}

function addRequest({ operationId, requestBody }: Operation) {
  const content = requestBody?.content['application/json'] as Content | undefined
  if (content && operationId! in REQUEST_EXAMPLES) content.example = REQUEST_EXAMPLES[operationId!]
}

function addResponses({ operationId, responses = {} }: Operation) {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const [content] = Object.values(success?.content ?? {}) as Content[]
  if (content && operationId! in RESPONSE_EXAMPLES) content.example = RESPONSE_EXAMPLES[operationId!]
  for (const [status, name] of Object.entries(CALL_EXAMPLES[operationId!] ?? {})) {
    const call = responses[status]!.content!['application/json'] as Content
    call.examples = { call: { $ref: `#/components/examples/${name}` } }
  }
}
