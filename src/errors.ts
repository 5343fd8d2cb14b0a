// Every way a request or a call can fail, as one table: the code that clients see, the HTTP status it has when the
// request itself is refused, and whether trying the same thing again may succeed (`recoverable`).

export const ERRORS = {
  INVALID_PARAMS: { status: 400, recoverable: false, means: 'The request, or a field of it, is not as it must be.' },
  UNKNOWN_TOOL: { status: 404, recoverable: false, means: 'No such tool here, or not for this agent.' },
  INVALID_PATH: { status: 400, recoverable: false, means: 'The path is malformed or leads outside the workspace.' },
  SENSITIVE_PATH: { status: 403, recoverable: false, means: 'The path holds credentials or belongs to the server.' },
  FILE_NOT_FOUND: { status: 404, recoverable: false, means: 'Nothing exists at the path.' },
  FILE_EXISTS: { status: 409, recoverable: false, means: 'Something exists where nothing may be overwritten.' },
  NOT_A_FILE: { status: 400, recoverable: false, means: 'The path is not a regular file.' },
  NOT_A_DIRECTORY: { status: 400, recoverable: false, means: 'The path is not a directory.' },
  PERMISSION_DENIED: { status: 403, recoverable: false, means: 'The operating system or the policy refuses.' },
  BINARY_FILE: { status: 415, recoverable: false, means: 'The file is not text.' },
  TOO_LARGE: { status: 413, recoverable: false, means: 'The body, the file or the answer is over its limit.' },
  OLD_TEXT_NOT_FOUND: { status: 409, recoverable: false, means: 'The text to replace is not in the file.' },
  AMBIGUOUS_MATCH: { status: 409, recoverable: false, means: 'The text to replace is in the file more than once.' },
  STALE_FILE: { status: 409, recoverable: false, means: 'The file changed since the caller read it.' },
  PREVIEW_CHANGED: { status: 409, recoverable: false, means: 'What would happen is no longer what was shown.' },
  UNDO_CONFLICT: { status: 409, recoverable: false, means: 'A later change overlaps what should be undone.' },
  COMMAND_BLOCKED: { status: 403, recoverable: false, means: 'The command is never run, approved or not.' },
  URL_BLOCKED: { status: 403, recoverable: false, means: 'The address is never fetched.' },
  SANDBOX_UNAVAILABLE: { status: 503, recoverable: false, means: 'The isolation asked for does not work here.' },
  TIMEOUT: { status: 504, recoverable: true, means: 'The time limit passed.' },
  CANCELLED: { status: 409, recoverable: false, means: 'The call was cancelled.' },
  EXECUTION_ERROR: { status: 500, recoverable: false, means: 'The tool ran and failed.' },
  LSP_UNAVAILABLE: { status: 503, recoverable: true, means: 'No language server answers for this file.' },
  MCP_ERROR: { status: 502, recoverable: true, means: 'An MCP server failed.' },
  NETWORK_ERROR: { status: 502, recoverable: true, means: 'The remote side could not be reached or broke off.' },
  DELEGATE_UNAVAILABLE: { status: 503, recoverable: false, means: 'No front end is there to do this.' },
  OVERLOADED: { status: 503, recoverable: true, means: 'The server cannot take more now; see Retry-After.' },
  UNAUTHORIZED: { status: 401, recoverable: false, means: 'No valid token.' },
  FORBIDDEN: { status: 403, recoverable: false, means: 'The token, host or origin may not do this.' },
  NOT_FOUND: { status: 404, recoverable: false, means: 'No such call, rule or route.' },
  CONFLICT: {
    status: 409,
    recoverable: false,
    means: 'It cannot be done as things stand, or somebody else was first.'
  },
  INTERNAL: { status: 500, recoverable: false, means: 'A fault of the server; the log has the cause.' }
} as const satisfies Record<string, { status: number; recoverable: boolean; means: string }>

export type ErrorCode = keyof typeof ERRORS

/** The one error that tools, the engine and the door throw. `details` is shown to the client: never put a secret in it. */
export class ToolError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined

  constructor(code: ErrorCode, message: string, details?: Record<string, unknown>, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ToolError'
    this.code = code
    this.details = details
  }

  get recoverable() {
    return ERRORS[this.code].recoverable
  }
}

/** What a caller sees of any failure. Faults of our own say nothing but that: their cause belongs in the log. */
export function describeError(error: unknown): {
  code: ErrorCode
  message: string
  recoverable: boolean
  details?: Record<string, unknown>
} {
  if (!(error instanceof ToolError))
    return { code: 'INTERNAL', message: 'The server failed; its log has the cause.', recoverable: false }
  const { code, message, recoverable, details } = error
  return { code, message, recoverable, ...(details && { details }) }
}

/** A fault in one param that only the tool can find; `name` is its place in the params, such as `pattern` or `env/PATH`. */
export function invalidParam(name: string, message: string): ToolError {
  const pointer = `/params/${name}`
  return new ToolError('INVALID_PARAMS', `${pointer}: ${message}`, { errors: [{ pointer, message }] })
}
