// Configuration of MCP servers whose tools are served: connection and limits of each.
import { type Static, Type } from 'typebox'
import { FORMER_READ_ONLY } from '../protocol/isolation-levels.ts'

const Globs = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))
const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description })

const limit = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))

const ENV_SUBSTITUTION_NOTE =
  'A value in braces after a dollar sign, such as `{env:NAME}`, is replaced by that environment variable of the server.'
const EFFECTS = ['read', 'create', 'write', 'execute', 'network', 'destructive'] as const

const OAuth = Type.Object(
  {
    grant: Type.Optional(
      Type.Enum(['authorization_code', 'client_credentials'], {
        description: 'Login: by a person in a browser (`toolgate mcp login NAME`, default), or with client credentials.'
      })
    ),
    client_id: Type.Optional(Type.String({ description: 'Client id. Default: dynamic registration, if supported.' })),
    client_secret: Type.Optional(Type.String({ description: `Client secret. ${ENV_SUBSTITUTION_NOTE}` })),
    scope: Type.Optional(Type.String({ description: 'Scopes to request instead of those the server requests.' })),
    issuer: Type.Optional(Type.String({ description: 'The only authorization server that receives the secret.' })),
    redirect_port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: 'Port on 127.0.0.1 for the redirect, if a fixed one is registered.'
      })
    )
  },
  { additionalProperties: false }
)

/** Connection of one MCP server. The names are those of other clients, so that an entry can be copied. */
export const McpServer = Type.Object(
  {
    type: Type.Optional(
      Type.Enum(['stdio', 'http', 'streamable-http', 'sse'], {
        description: 'Transport. Default: `stdio` for a command; for a URL streamable HTTP, or SSE as a fallback.'
      })
    ),
    command: Type.Optional(Type.String({ minLength: 1, description: 'Program.' })),
    args: Type.Optional(Type.Array(Type.String(), { description: 'Arguments.' })),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: `Additional environment variables. ${ENV_SUBSTITUTION_NOTE}`
      })
    ),
    cwd: Type.Optional(Type.String({ description: 'Working directory, relative to the workspace root.' })),
    url: Type.Optional(Type.String({ pattern: '^https?://', description: 'URL of a remote server.' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: `Headers of each request, such as a key. ${ENV_SUBSTITUTION_NOTE}`
      })
    ),
    oauth: Type.Optional(OAuth),
    disabled: Type.Optional(Type.Boolean({ description: 'Do not start the server.' })),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1, description: 'Time limit of calls of its tools.' })),
    tools: Type.Optional(
      Type.Object(
        {
          allow: Globs('Only tools with these names.'),
          deny: Globs('Exclude tools with these names; takes precedence.')
        },
        { additionalProperties: false, description: 'Available tools, by globs over their names.' }
      )
    ),
    effects: Type.Optional(
      Type.Record(Type.String(), Type.Enum(EFFECTS), {
        description:
          'Strongest effect of its tools, by globs over their names; the last match counts. Without it, calls need approval, whatever the server declares.'
      })
    ),
    idempotent: Globs('Tools that may be retried after an error, by globs over their names.'),
    sandbox: Type.Optional(
      Type.Enum(['workspace', 'read-only', 'none', FORMER_READ_ONLY], {
        description:
          'Isolation of its process, instead of that of commands. `none`: no sandbox. `strict` is the former name of `read-only`.'
      })
    ),
    network: Type.Optional(
      Type.Array(Type.String({ format: 'host' }), {
        description: 'Hosts that its process may access from the sandbox.'
      })
    ),
    read: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Additional folders and files that its process may access in the sandbox.'
      })
    ),
    limits: Type.Optional(
      Type.Object(
        {
          cpu_seconds: limit('CPU time of each of its processes. Default: no limit.'),
          memory_bytes: limit('Memory of all its processes. Default: `sandbox.memory_bytes`.'),
          open_files: limit('Open files of each of its processes, at most `sandbox.open_files`.')
        },
        { additionalProperties: false, description: 'Sandbox limits of its process.' }
      )
    )
  },
  { additionalProperties: false, title: 'McpServer' }
)
export type McpServer = Static<typeof McpServer>

export const McpServersSchema = Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }), McpServer, {
  default: {},
  description:
    'MCP servers by name; their tools are available as `mcp:<server>:<tool>`. Those of a workspace start once its file is trusted.'
})

export const McpSchema = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Start MCP servers.' }),
    connect_ms: count(30_000, 'Time limit to start and list the tools.'),
    timeout_ms: count(60_000, 'Default time limit of calls.'),
    max_tools: count(256, 'Maximum number of tools of one server.'),
    max_result_bytes: count(8_388_608, 'Maximum size of a message from a server, and of its whole list of tools.')
  },
  { additionalProperties: false, default: {} }
)
