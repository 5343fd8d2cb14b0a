// Configuration of MCP servers whose tools are served: connection and limits of each.
import { type Static, Type } from 'typebox'
import { FORMER_READ_ONLY } from '../protocol/isolation-levels.ts'

const Globs = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))
const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description })

const limit = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))

const ENV_SUBSTITUTION_NOTE =
  '`{env:NAME}` after a dollar sign is replaced by the environment variable NAME of the Toolgate server.'
const EFFECTS = ['read', 'create', 'write', 'execute', 'network', 'destructive'] as const

const OAuth = Type.Object(
  {
    grant: Type.Optional(
      Type.Enum(['authorization_code', 'client_credentials'], {
        description:
          'Login to the MCP server: by a person in a browser (`toolgate mcp login NAME`, default), or with client credentials.'
      })
    ),
    client_id: Type.Optional(
      Type.String({ description: 'OAuth client id. Default: dynamic client registration, if the server supports it.' })
    ),
    client_secret: Type.Optional(Type.String({ description: `OAuth client secret. ${ENV_SUBSTITUTION_NOTE}` })),
    scope: Type.Optional(
      Type.String({ description: 'OAuth scopes to request, instead of the scopes that the server names.' })
    ),
    issuer: Type.Optional(
      Type.String({ description: 'URL of the authorization server. Only this server receives the client secret.' })
    ),
    redirect_port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: 'Port on 127.0.0.1 for the OAuth redirect, if the client is registered with a fixed port.'
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
        description:
          'Transport of the server. Default for a command: `stdio`. Default for a URL: streamable HTTP, with SSE as a ' +
          'fallback.'
      })
    ),
    command: Type.Optional(Type.String({ minLength: 1, description: 'Program.' })),
    args: Type.Optional(Type.Array(Type.String(), { description: 'Arguments.' })),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: `Additional environment variables of the server. ${ENV_SUBSTITUTION_NOTE}`
      })
    ),
    cwd: Type.Optional(
      Type.String({ description: 'Working directory of the server, relative to the workspace root.' })
    ),
    url: Type.Optional(Type.String({ pattern: '^https?://', description: 'URL of a remote server.' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: `Headers of each request to the server, such as an API key. ${ENV_SUBSTITUTION_NOTE}`
      })
    ),
    oauth: Type.Optional(OAuth),
    disabled: Type.Optional(Type.Boolean({ description: 'Do not start this MCP server.' })),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1, description: "Time limit of calls of the server's tools." })),
    tools: Type.Optional(
      Type.Object(
        {
          allow: Globs('Globs for tool names. Only matching tools are available.'),
          deny: Globs('Globs for tool names. Matching tools are not available, even if `allow` matches.')
        },
        { additionalProperties: false, description: 'Selects the available tools of the server by name.' }
      )
    ),
    effects: Type.Optional(
      Type.Record(Type.String(), Type.Enum(EFFECTS), {
        description:
          "Strongest effect of the server's tools, by globs for tool names. The last matching entry counts. Tools without an entry need approval, even if the server declares them as read-only."
      })
    ),
    idempotent: Globs('Globs for the names of tools that can be retried after an error.'),
    sandbox: Type.Optional(
      Type.Enum(['workspace', 'read-only', 'none', FORMER_READ_ONLY], {
        description:
          "Isolation of the server's process. Default: the isolation of commands. `none`: no sandbox. `strict` is the former name of `read-only`."
      })
    ),
    network: Type.Optional(
      Type.Array(Type.String({ format: 'host' }), {
        description: 'Hosts that the MCP server may access from its sandbox.'
      })
    ),
    read: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Additional folders and files that the MCP server may access in its sandbox.'
      })
    ),
    limits: Type.Optional(
      Type.Object(
        {
          cpu_seconds: limit('Maximum CPU time of each process of the server. Default: no limit.'),
          memory_bytes: limit('Maximum memory of all processes of the server. Default: `sandbox.memory_bytes`.'),
          open_files: limit(
            'Maximum number of open files of each process of the server. It cannot exceed `sandbox.open_files`.'
          )
        },
        { additionalProperties: false, description: "Sandbox limits of the server's processes." }
      )
    )
  },
  { additionalProperties: false, title: 'McpServer' }
)
export type McpServer = Static<typeof McpServer>

export const McpServersSchema = Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }), McpServer, {
  default: {},
  description:
    "MCP servers by name. Their tools are available as `mcp:<server>:<tool>`. Servers in a workspace's file start when a person has trusted the file."
})

export const McpSchema = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Start MCP servers.' }),
    connect_ms: count(30_000, 'Time limit to start a server and list its tools.'),
    timeout_ms: count(60_000, 'Default time limit of calls of MCP tools.'),
    max_tools: count(256, 'Maximum number of tools of one MCP server.'),
    max_result_bytes: count(8_388_608, 'Maximum size of a message from an MCP server, and of its whole list of tools.')
  },
  { additionalProperties: false, default: {} }
)
