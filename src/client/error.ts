// The error thrown by the client.
import type { Problem } from '../protocol/problem.ts'

/** `UNREACHABLE`: no response. `BAD_ANSWER`: a response that is not Toolgate's. Else the code of the problem. */
export type ToolgateErrorCode = Problem['code'] | 'UNREACHABLE' | 'BAD_ANSWER'

export class ToolgateError extends Error {
  readonly code: ToolgateErrorCode
  /** The HTTP status; 0 without a response. */
  readonly status: number
  readonly problem: Problem | undefined

  constructor(
    message: string,
    failure: { code: ToolgateErrorCode; status: number; problem?: Problem },
    options?: ErrorOptions
  ) {
    super(message, options)
    this.name = 'ToolgateError'
    this.code = failure.code
    this.status = failure.status
    this.problem = failure.problem
  }
}
