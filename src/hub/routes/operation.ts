// Describes routes of the hub for its API document.
import type { TSchema } from 'typebox'
import type { ErrorCode } from '../../protocol/error-codes.ts'
import { NoContent } from '../../protocol/hub-answers.ts'
import { problemResponses } from '../../routes/schema.ts'

interface OperationFacts {
  operationId: string
  summary: string
  tags: readonly string[]
}

interface EventStream {
  description: string
  content: { 'text/event-stream': { schema: TSchema } }
}

/**
 * Describes a route whose success has one status. The type of its answer is not that of the handler: rows of the database have dates, which
 * become texts as they are sent.
 */
export function describeOperation(
  [operationId, summary, tag]: readonly [operationId: string, summary: string, tag: string],
  status: number,
  answer: TSchema | EventStream = NoContent,
  ...codes: ErrorCode[]
): OperationFacts {
  const described = { operationId, summary, tags: [tag], response: { [status]: answer, ...problemResponses(...codes) } }
  return described
}

/** Describes the answer of a route that sends events. */
export const describeStream = (event: TSchema): EventStream => ({
  description: 'Server-sent events.',
  content: { 'text/event-stream': { schema: event } }
})
