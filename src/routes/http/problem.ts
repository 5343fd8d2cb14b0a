// How a refused request is answered: an RFC 9457 problem document with our code. The one error handler of the app.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { describeError, ERRORS, ToolError } from '../../errors.ts'
import type { Masking } from '../../host/secrets/secret-masker.ts'
import { faultWords, type SchemaFault } from '../../text/schema-errors.ts'
import type { Fault, Problem } from './problem-document.ts'

export function installProblems(app: FastifyInstance, masking: Pick<Masking, 'maskedAll'>): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    send(masking.maskedAll(problemOf(error)), reply)
    const { method, routeOptions, log } = request
    const { statusCode: status } = reply
    if (status === 500) log.error({ err: error }, 'request failed')
    else log.debug({ method, route: routeOptions.url, status, reason: error.message }, 'request refused')
  })
  app.setNotFoundHandler((_request: FastifyRequest, reply) => {
    sendProblem(new ToolError('NOT_FOUND', 'Route not found, or method not allowed.'), reply)
  })
}

/** For what the server itself refuses, in words that hold nothing of the request. */
export const sendProblem = (error: unknown, reply: FastifyReply): void => send(problemOf(error), reply)

function send(problem: Problem, reply: FastifyReply): void {
  if (problem.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer')
  if (problem.code === 'OVERLOADED') reply.header('retry-after', String(problem.details?.retry_after_s ?? 1))
  reply
    .code(problem.status)
    .type('application/problem+json')
    .serializer((body: string) => body)
    .send(JSON.stringify({ ...problem, request_id: reply.request.id }))
}

export function problemOf(error: unknown): Problem {
  const { code, message, recoverable, details } = describeError(fromFastify(error))
  const { errors, ...rest } = details ?? {}
  const faults = Array.isArray(errors) ? fitting(errors) : undefined
  return {
    type: 'about:blank',
    title: ERRORS[code].means,
    status: ERRORS[code].status,
    detail: message.length > MAX_DETAIL ? `${message.slice(0, MAX_DETAIL)}…` : message,
    code,
    recoverable,
    ...(faults && { errors: faults }),
    ...(Object.keys(rest).length > 0 && { details: rest })
  }
}
const MAX_DETAIL = 300

/** As many faults as keep the document small: senders choose how many there are, and how long their names. */
function fitting(faults: readonly Fault[]): Fault[] {
  let left = 500
  return faults
    .map(fault => ({ ...fault, pointer: short(fault.pointer), message: short(fault.message, 240) }))
    .filter(fault => {
      left -= JSON.stringify(fault).length
      return left > 0
    })
}
const short = (text: string, most = 120) => (text.length > most ? `${text.slice(0, most)}…` : text)

/** Fastify's own refusals in our words. Any other error of its or ours stays what it is. */
function fromFastify(error: unknown): unknown {
  const { code, validation, validationContext, statusCode } = (error ?? {}) as Partial<FastifyError>
  if (error instanceof ToolError) return error
  if (validation) return invalidParams(validation, validationContext)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ToolError('TOO_LARGE', 'The body is too large.')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ToolError('INVALID_PARAMS', 'The request is malformed.', undefined, { cause: error })
  return error
}

const PLACES = { querystring: 'query', params: 'path', headers: 'header' } as const

function invalidParams(validation: FastifySchemaValidationError[], context: string | undefined): ToolError {
  const place = PLACES[context as keyof typeof PLACES]
  const errors = validation.map(fault => ({ ...faultOf(fault), ...(place && { in: place }) }))
  const [first] = errors
  return new ToolError('INVALID_PARAMS', `${first?.pointer || (place ?? 'The body')} ${first?.message}.`, { errors })
}

/** Ajv names the object that lacks or has a field too many; a person wants the field. */
export function faultOf(fault: SchemaFault): Fault {
  const { instancePath, params } = fault
  const field = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty
  const pointer = field === undefined ? instancePath : `${instancePath}/${escapePointer(String(field))}`
  return { pointer, message: faultWords(fault) }
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')
