// Errors of requests whose answer is the content of a file, or what became of it, instead of a call.
import type { FastifyRequest } from 'fastify'
import { ToolError } from '../../errors.ts'
import type { SettledCall } from '../../protocol/calls.ts'
import type { ErrorCode } from '../../protocol/error-codes.ts'

/** Throws the error of a call that did not succeed. */
export function assertSucceeded(call: SettledCall): asserts call is Extract<SettledCall, { status: 'success' }> {
  if (call.status === 'success') return
  const { code, message }: { code: ErrorCode; message: string } =
    call.status === 'error'
      ? call.error
      : call.status === 'rejected'
        ? { code: 'PERMISSION_DENIED', message: `The call was rejected: ${call.reason}` }
        : { code: 'CANCELLED', message: call.reason }
  throw new ToolError(code, message, { tool_call_id: call.tool_call_id })
}

/** Converts the error of a failed precondition if the request had one as a header. */
export function toPreconditionError(error: unknown, headers: FastifyRequest['headers']): unknown {
  if (!(error instanceof ToolError)) return error
  const isCondition =
    (error.code === 'STALE_FILE' && headers['if-match'] !== undefined) ||
    (error.code === 'FILE_EXISTS' && headers['if-none-match'] !== undefined)
  return isCondition ? new ToolError('PRECONDITION_FAILED', error.message, error.details, { cause: error }) : error
}
