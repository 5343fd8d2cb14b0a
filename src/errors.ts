// Errors of requests and calls, with their codes.
import { ERRORS, type ErrorCode } from './protocol/error-codes.ts'

/** The error thrown by tools, the engine and authentication. `details` is shown to the client: never put a secret in it. */
export class ToolError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined
  /** The same call may succeed later; by default as of the code. */
  readonly recoverable: boolean

  constructor(
    code: ErrorCode,
    message: string,
    details?: Record<string, unknown>,
    options: ErrorOptions & { recoverable?: boolean } = {}
  ) {
    const { recoverable = ERRORS[code].recoverable, ...rest } = options
    super(message, rest)
    this.name = 'ToolError'
    this.code = code
    this.details = details
    this.recoverable = recoverable
  }
}

/** Describes any failure for the caller. Internal errors reveal no cause, which belongs in the log. */
export function describeError(error: unknown): {
  code: ErrorCode
  message: string
  recoverable: boolean
  details?: Record<string, unknown>
} {
  if (!(error instanceof ToolError))
    return (
      describeExhaustion(error) ?? {
        code: 'INTERNAL',
        message: 'Internal error of the server. Its log contains the cause.',
        recoverable: false
      }
    )
  const { code, message, recoverable, details } = error
  return { code, message, recoverable, ...(details && { details }) }
}

/** Returns the message of an error with that of its cause, which says more of a failed connection. */
export const messageWithCause = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message

/** Remedies by error of a system that is out of processes, memory or descriptors: a later attempt may succeed. */
export const EXHAUSTED: Readonly<Record<string, string>> = {
  EAGAIN:
    "End processes of the server's user, or increase the limit of its processes (`ulimit -u`, or `pids_limit` of the container)",
  ENOMEM: "Free memory, or increase the memory limit of the server's container",
  EMFILE: 'Increase the limit of open files of the server (`ulimit -n`)',
  ENFILE: "Close files of other programs, or increase the system's limit of open files (`fs.file-max`)"
}

/** Describes an error of the system that is out of something; undefined for any other. */
function describeExhaustion(error: unknown) {
  const { code = '', syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const remedy = syscall === undefined ? undefined : EXHAUSTED[code]
  if (remedy === undefined) return undefined
  const message = `The system is out of resources (${syscall}: ${code}). ${remedy}, and retry.`
  return { code: 'OVERLOADED' as const, message, recoverable: true }
}

/** Creates an error in a field of the request body, by its JSON pointer. */
export const invalidFieldError = (pointer: string, message: string): ToolError =>
  new ToolError('INVALID_PARAMS', `${pointer} ${message}.`, { errors: [{ pointer, message }] })

/**
 * Creates an error in one param that only the tool can find; `name` is its location in the params, such as `pattern` or
 * `env/PATH`.
 */
export function invalidParam(name: string, message: string): ToolError {
  const pointer = `/params/${name}`
  return new ToolError('INVALID_PARAMS', `${pointer}: ${message}`, { errors: [{ pointer, message }] })
}
