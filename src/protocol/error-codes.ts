// All errors of requests and calls as one table: the code that clients see, the HTTP status when the request itself is refused,
// whether a retry may succeed (`recoverable`), the meaning, and the resolution.

export const ERRORS = {
  INVALID_PARAMS: {
    status: 400,
    recoverable: false,
    description: 'The request is invalid.',
    resolution: 'Fix the fields listed in `errors`; `toolgate tools NAME` shows the parameters of a tool.'
  },
  UNKNOWN_TOOL: {
    status: 404,
    recoverable: false,
    description: 'The tool does not exist, or is not available to this agent.',
    resolution: 'List available tools: `toolgate tools`, or `toolgate tools --agent NAME` for an agent.'
  },
  INVALID_PATH: {
    status: 400,
    recoverable: false,
    description: 'The path is malformed or outside the workspace.',
    resolution: 'Use a path inside the workspace, relative to its root; to serve another folder, use `--root`.'
  },
  SENSITIVE_PATH: {
    status: 403,
    recoverable: false,
    description: 'The path may contain credentials or belongs to the server.',
    resolution: 'Do not read it, or ask a person to read it. The message and the setting `sensitive` list such paths.'
  },
  FILE_NOT_FOUND: {
    status: 404,
    recoverable: false,
    description: 'No file or folder exists at the path.',
    resolution: 'Use the path that the message suggests, or find it with `glob` or `list_directory`.'
  },
  FILE_EXISTS: {
    status: 409,
    recoverable: false,
    description: 'A file or folder already exists at the path.',
    resolution: 'Choose another path, or allow overwriting if the tool has a parameter for it.'
  },
  NOT_A_FILE: {
    status: 400,
    recoverable: false,
    description: 'The path is not a regular file.',
    resolution: 'Use the path of a file; to list a folder, use `list_directory`.'
  },
  NOT_A_DIRECTORY: {
    status: 400,
    recoverable: false,
    description: 'The path is not a directory.',
    resolution: 'Use the path of a folder.'
  },
  PERMISSION_DENIED: {
    status: 403,
    recoverable: false,
    description: 'The operating system or the policy denies access.',
    resolution: 'Do not retry. The message says which rule, setting or file mode denies access; a person can change it.'
  },
  BINARY_FILE: {
    status: 415,
    recoverable: false,
    description: 'The file is not text, or has bytes that are not in its encoding.',
    resolution:
      'To read a binary file, use `encoding: "base64"`; only text files can be edited. For a text file, specify its encoding.'
  },
  TOO_LARGE: {
    status: 413,
    recoverable: false,
    description: 'The request body, the file or the result exceeds a limit.',
    resolution:
      'Request less, with a range, a limit or a narrower pattern; the setting `limits` defines the limits. Send the ' +
      'content of a large file with `PUT /files/{path}`.'
  },
  OLD_TEXT_NOT_FOUND: {
    status: 409,
    recoverable: false,
    description: 'The text to replace was not found in the file.',
    resolution: 'Read the file again; the message shows the closest match.'
  },
  AMBIGUOUS_MATCH: {
    status: 409,
    recoverable: false,
    description: 'The text to replace occurs more than once in the file.',
    resolution: 'Include more surrounding lines, or set `replace_all`.'
  },
  STALE_FILE: {
    status: 409,
    recoverable: false,
    description: 'The file has changed since the caller read it.',
    resolution: 'Read the file again and repeat the change.'
  },
  PRECONDITION_FAILED: {
    status: 412,
    recoverable: false,
    description: 'The file does not meet the condition in `If-Match` or `If-None-Match`.',
    resolution: 'Read the file again and repeat the change with its new `ETag`.'
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    recoverable: false,
    description: 'The requested range is outside the file.',
    resolution: 'Request a range within the size given by `Content-Range`.'
  },
  PREVIEW_CHANGED: {
    status: 409,
    recoverable: false,
    description: 'The preview has changed since it was shown.',
    resolution: 'Review the new preview in the response and decide again.'
  },
  UNDO_CONFLICT: {
    status: 409,
    recoverable: false,
    description: 'A later change overlaps the change to undo.',
    resolution: 'Undo the later calls listed in the message first, or undo only some `paths`.'
  },
  COMMAND_BLOCKED: {
    status: 403,
    recoverable: false,
    description: 'The command is always denied, even with approval.',
    resolution: 'Use another command; the message says which part is denied.'
  },
  URL_BLOCKED: {
    status: 403,
    recoverable: false,
    description: 'The URL is always denied.',
    resolution: 'Use another URL; for URLs of this machine, see the setting `web.local`.'
  },
  SANDBOX_UNAVAILABLE: {
    status: 503,
    recoverable: false,
    description: 'The requested isolation level is not available on this machine.',
    resolution: 'Run `toolgate doctor` to see what is missing, or request an available level.'
  },
  WORKSPACE_GONE: {
    status: 503,
    recoverable: true,
    description: 'The folder of the workspace is missing or was replaced.',
    resolution: 'Restore the folder, or restart the server to serve the folder that is there now.'
  },
  DISK_FULL: {
    status: 507,
    recoverable: true,
    description: 'The disk of the file or of the journal is full.',
    resolution: 'Free space on the disk that the message names, and send the request again.'
  },
  TIMEOUT: {
    status: 504,
    recoverable: true,
    description: 'The call exceeded its time limit.',
    resolution: 'Use a larger `timeout_ms`, or run the command in the background with `shell_background`.'
  },
  CANCELLED: {
    status: 409,
    recoverable: false,
    description: 'The call was cancelled.',
    resolution: 'Submit the call again if it is still needed.'
  },
  EXECUTION_ERROR: {
    status: 500,
    recoverable: false,
    description: 'The tool failed.',
    resolution: 'Read the message: it contains the error of the tool or of the program that it ran.'
  },
  LSP_UNAVAILABLE: {
    status: 503,
    recoverable: true,
    description: 'No language server is available for this file.',
    resolution: 'Install the language server that the message names. If it is still starting, retry.'
  },
  MCP_ERROR: {
    status: 502,
    recoverable: true,
    description: 'An MCP server failed or is unavailable.',
    resolution: 'Check its status with `toolgate mcp list`, and retry.'
  },
  NETWORK_ERROR: {
    status: 502,
    recoverable: true,
    description: 'The remote host could not be reached, or the connection was lost.',
    resolution: 'Retry later. If the error persists, check the URL and the network.'
  },
  DELEGATE_UNAVAILABLE: {
    status: 503,
    recoverable: false,
    description: 'No connected front end can perform the requested effect.',
    resolution: 'Connect an editor that supports the effect, or use a tool that does not need an editor.'
  },
  OVERLOADED: {
    status: 503,
    recoverable: true,
    description: 'The server is overloaded.',
    resolution: 'Retry after the time given in `Retry-After`.'
  },
  QUOTA_EXCEEDED: {
    status: 429,
    recoverable: true,
    description: 'The caller has reached a limit of its token.',
    resolution: 'Wait until calls of this token have ended, or retry after the time given in `Retry-After`.'
  },
  UNAUTHORIZED: {
    status: 401,
    recoverable: false,
    description: 'The token is missing or invalid.',
    resolution: 'Read the token from the discovery file again, or create one with `toolgate token create`.'
  },
  FORBIDDEN: {
    status: 403,
    recoverable: false,
    description: 'The token lacks permission, or the host or origin is not allowed.',
    resolution:
      'Use a token with the right to approve. If the host or origin is refused, add it to `allowed_hosts` or `allowed_origins`.'
  },
  NOT_FOUND: {
    status: 404,
    recoverable: false,
    description: 'The call, rule or route does not exist.',
    resolution: 'Check the id and the URL. Old calls are deleted: see the setting `journal`.'
  },
  CONFLICT: {
    status: 409,
    recoverable: false,
    description: 'The request conflicts with the current state, for example because another client was first.',
    resolution: 'Read the message, and check the call with `toolgate show ID`.'
  },
  INTERNAL: {
    status: 500,
    recoverable: false,
    description: 'Internal error of the server. Its log contains the cause.',
    resolution: 'Check the log of the server, and report the error.'
  }
} as const satisfies Record<string, { status: number; recoverable: boolean; description: string; resolution: string }>

export type ErrorCode = keyof typeof ERRORS
