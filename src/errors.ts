// Every way a request or a call can fail, as one table: the code that clients see, the HTTP status it has when the
// request itself is refused, whether trying the same thing again may succeed (`recoverable`), what it means, and its cure.

export const ERRORS = {
  INVALID_PARAMS: {
    status: 400,
    recoverable: false,
    means: 'The request, or a field of it, is not as it must be.',
    cure: 'Mend the fields that `errors` names; `toolgate tools NAME` shows what a tool takes.'
  },
  UNKNOWN_TOOL: {
    status: 404,
    recoverable: false,
    means: 'No such tool here, or not for this agent.',
    cure: 'List what there is: `toolgate tools`, with `--agent` as the agent sees it.'
  },
  INVALID_PATH: {
    status: 400,
    recoverable: false,
    means: 'The path is malformed or leads outside the workspace.',
    cure: 'Give a path inside the workspace, relative to its root; serve another folder with `--root`.'
  },
  SENSITIVE_PATH: {
    status: 403,
    recoverable: false,
    means: 'The path holds credentials or belongs to the server.',
    cure: 'Do without it, or let a person read it; what counts as such is told by `sensitive` and the message.'
  },
  FILE_NOT_FOUND: {
    status: 404,
    recoverable: false,
    means: 'Nothing exists at the path.',
    cure: 'Take the name that the message offers, or look with `glob` or `list_directory`.'
  },
  FILE_EXISTS: {
    status: 409,
    recoverable: false,
    means: 'Something exists where nothing may be overwritten.',
    cure: 'Choose another path, or say that it may be overwritten where the tool has a param for that.'
  },
  NOT_A_FILE: {
    status: 400,
    recoverable: false,
    means: 'The path is not a regular file.',
    cure: 'Name a file; for what a folder holds use `list_directory`.'
  },
  NOT_A_DIRECTORY: { status: 400, recoverable: false, means: 'The path is not a directory.', cure: 'Name a folder.' },
  PERMISSION_DENIED: {
    status: 403,
    recoverable: false,
    means: 'The operating system or the policy refuses.',
    cure: 'Do not try again. A person can change the rule or the setting that the message names, or the mode of the file.'
  },
  BINARY_FILE: {
    status: 415,
    recoverable: false,
    means: 'The file is not text.',
    cure: 'Read its bytes with `encoding: "base64"`, or leave it; only text is edited.'
  },
  TOO_LARGE: {
    status: 413,
    recoverable: false,
    means: 'The body, the file or the answer is over its limit.',
    cure: 'Ask for less: a range, a limit, a narrower pattern. Limits are in `limits`.'
  },
  OLD_TEXT_NOT_FOUND: {
    status: 409,
    recoverable: false,
    means: 'The text to replace is not in the file.',
    cure: 'Read the file again; the message shows what comes nearest.'
  },
  AMBIGUOUS_MATCH: {
    status: 409,
    recoverable: false,
    means: 'The text to replace is in the file more than once.',
    cure: 'Quote more of what is around it, or set `replace_all`.'
  },
  STALE_FILE: {
    status: 409,
    recoverable: false,
    means: 'The file changed since the caller read it.',
    cure: 'Read the file again, and make the change anew.'
  },
  PREVIEW_CHANGED: {
    status: 409,
    recoverable: false,
    means: 'What would happen is no longer what was shown.',
    cure: 'Look at the preview that comes with it, and decide on that one.'
  },
  UNDO_CONFLICT: {
    status: 409,
    recoverable: false,
    means: 'A later change overlaps what should be undone.',
    cure: 'Undo the later calls that it names first, or name only some `paths`.'
  },
  COMMAND_BLOCKED: {
    status: 403,
    recoverable: false,
    means: 'The command is never run, approved or not.',
    cure: 'Do it otherwise; the message says what is never run.'
  },
  URL_BLOCKED: {
    status: 403,
    recoverable: false,
    means: 'The address is never fetched.',
    cure: 'Take another address; for one of this machine see `web.local`.'
  },
  SANDBOX_UNAVAILABLE: {
    status: 503,
    recoverable: false,
    means: 'The isolation asked for does not work here.',
    cure: 'Run `toolgate doctor`: it says what is missing. Or ask for an isolation that holds here.'
  },
  TIMEOUT: {
    status: 504,
    recoverable: true,
    means: 'The time limit passed.',
    cure: 'Give it a larger `timeout_ms`, or let it run on: `shell_background`.'
  },
  CANCELLED: {
    status: 409,
    recoverable: false,
    means: 'The call was cancelled.',
    cure: 'Nothing, or ask again: somebody did not want it.'
  },
  EXECUTION_ERROR: {
    status: 500,
    recoverable: false,
    means: 'The tool ran and failed.',
    cure: 'Read the message: it is what the tool, or the program it ran, has to say.'
  },
  LSP_UNAVAILABLE: {
    status: 503,
    recoverable: true,
    means: 'No language server answers for this file.',
    cure: 'Install the language server that the message names; while one still starts, try again.'
  },
  MCP_ERROR: {
    status: 502,
    recoverable: true,
    means: 'An MCP server failed.',
    cure: 'Look how the server stands (`GET /mcp-servers`), and try again.'
  },
  NETWORK_ERROR: {
    status: 502,
    recoverable: true,
    means: 'The remote side could not be reached or broke off.',
    cure: 'Try again later; if it stays so, look at the address and the network.'
  },
  DELEGATE_UNAVAILABLE: {
    status: 503,
    recoverable: false,
    means: 'No front end is there to do this.',
    cure: 'Connect an editor that can do it, or use the tool that needs none.'
  },
  OVERLOADED: {
    status: 503,
    recoverable: true,
    means: 'The server cannot take more now; see Retry-After.',
    cure: 'Wait as long as `Retry-After` says, then send it again.'
  },
  UNAUTHORIZED: {
    status: 401,
    recoverable: false,
    means: 'No valid token.',
    cure: 'Read the token anew from the discovery file, or make one: `toolgate token create`.'
  },
  FORBIDDEN: {
    status: 403,
    recoverable: false,
    means: 'The token, host or origin may not do this.',
    cure: 'Use a token that may decide; a name or page that should be let in goes into `allowed_hosts` or `allowed_origins`.'
  },
  NOT_FOUND: {
    status: 404,
    recoverable: false,
    means: 'No such call, rule or route.',
    cure: 'Check the id and the route; calls are kept as long as `journal` says.'
  },
  CONFLICT: {
    status: 409,
    recoverable: false,
    means: 'It cannot be done as things stand, or somebody else was first.',
    cure: 'Read the message and how the call stands now: `toolgate show ID`.'
  },
  INTERNAL: {
    status: 500,
    recoverable: false,
    means: 'A fault of the server; the log has the cause.',
    cure: 'Look into the log of the server, and report it.'
  }
} as const satisfies Record<string, { status: number; recoverable: boolean; means: string; cure: string }>

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
