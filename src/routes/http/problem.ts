// Error responses: RFC 9457 problem documents with an error code. The app's only error handler.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { describeError, ToolError } from '../../errors.ts'
import type { SecretMasker } from '../../host/secrets/secret-masker.ts'
import { ERRORS } from '../../protocol/error-codes.ts'
import type { FieldError, Problem } from '../../protocol/problem.ts'
import { toJsonPointer } from '../../text/json-pointer.ts'
import { type SchemaError, schemaErrorMessage } from '../../text/schema-errors.ts'

export function registerErrorHandlers(app: FastifyInstance, masking: Pick<SecretMasker, 'maskValue'>): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    sendProblemDocument(masking.maskValue(toProblem(error)), reply)
    const { method, routeOptions, log } = request
    const { statusCode: status } = reply
    if (status === 500) log.error({ err: error }, 'request failed')
    else log.debug({ method, route: routeOptions.url, status, reason: error.message }, 'request rejected')
  })
  app.setNotFoundHandler((_request: FastifyRequest, reply) => {
    sendProblem(new ToolError('NOT_FOUND', 'There is no such URL, or it does not support this method.'), reply)
  })
}

/** Sends a refusal by the server itself, without echoing any part of the request. */
export const sendProblem = (error: unknown, reply: FastifyReply): void => sendProblemDocument(toProblem(error), reply)

function sendProblemDocument(problem: Problem, reply: FastifyReply): void {
  reply
    .code(problem.status)
    .headers(refusalHeaders(problem))
    .type('application/problem+json')
    .serializer((body: string) => body)
    .send(JSON.stringify({ ...problem, request_id: reply.request.id }))
}

/** Returns the headers of a refusal. */
export function refusalHeaders({ code, details }: Problem): Record<string, string> {
  if (code === 'UNAUTHORIZED') return { 'www-authenticate': 'Bearer' }
  if (code === 'RANGE_NOT_SATISFIABLE') return { 'content-range': `bytes */${details?.size}` }
  if (code === 'OVERLOADED' || code === 'QUOTA_EXCEEDED') return { 'retry-after': String(details?.retry_after_s ?? 1) }
  return {}
}

export function toProblem(error: unknown): Problem {
  const { code, message, recoverable, details } = describeError(toToolError(error))
  const { errors, ...rest } = details ?? {}
  const fieldErrors = Array.isArray(errors) ? limitErrors(errors) : undefined
  return {
    type: 'about:blank',
    title: ERRORS[code].description,
    status: ERRORS[code].status,
    detail: message.length > MAX_DETAIL ? `${message.slice(0, MAX_DETAIL)}…` : message,
    code,
    recoverable,
    ...(fieldErrors && { errors: fieldErrors }),
    ...(Object.keys(rest).length > 0 && { details: rest })
  }
}
const MAX_DETAIL = 300

/** Limits the errors to keep the document small: senders control their number and the length of their names. */
function limitErrors(errors: readonly FieldError[]): FieldError[] {
  let left = 500
  return errors
    .map(error => ({ ...error, pointer: truncate(error.pointer), message: truncate(error.message, 240) }))
    .filter(error => {
      left -= JSON.stringify(error).length
      return left > 0
    })
}
const truncate = (text: string, most = 120) => (text.length > most ? `${text.slice(0, most)}…` : text)

const BODY_TOO_LARGE =
  'The body is larger than `limits.body_bytes`. Send the content of a large file with PUT /files/{path}.'

/** Converts Fastify's errors to tool errors. Other errors do not change. */
export function toToolError(error: unknown): unknown {
  const { code, validation, validationContext, statusCode } = (error ?? {}) as Partial<FastifyError>
  if (error instanceof ToolError) return error
  if (validation) return toInvalidParams(validation, validationContext)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ToolError('TOO_LARGE', BODY_TOO_LARGE)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ToolError('INVALID_PARAMS', 'The request is not valid HTTP.', undefined, { cause: error })
  return error
}

const FIELD_LOCATIONS = { querystring: 'query', params: 'path', headers: 'header' } as const

function toInvalidParams(validation: FastifySchemaValidationError[], context: string | undefined): ToolError {
  const place = FIELD_LOCATIONS[context as keyof typeof FIELD_LOCATIONS]
  const errors = validation.map(issue => ({ ...toFieldError(issue), ...(place && { in: place }) }))
  const [first] = errors
  return new ToolError('INVALID_PARAMS', `${first?.pointer || (place ?? 'The body')} ${first?.message}.`, { errors })
}

/** Points at the missing or additional field; Ajv points at its object. */
function toFieldError(issue: SchemaError): FieldError {
  const { instancePath, params } = issue
  const field = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty
  const pointer = field === undefined ? instancePath : `${instancePath}${toJsonPointer([String(field)])}`
  return { pointer, message: schemaErrorMessage(issue) }
}

/** Redacts secrets from problems. Calls are already redacted. */
export type ProblemRedactor = Pick<SecretMasker, 'maskValue'>
