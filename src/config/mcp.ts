// Configuration of MCP servers whose tools are served: connection and limits of each.
import { type Static, Type } from 'typebox'
import { FORMER_READ_ONLY } from '../protocol/isolation-levels.ts'

const Globs = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))
const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description })

const limit = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))

const ENV_SUBSTITUTION_NOTE =
  'A value in braces after a dollar sign, as `{env:NAME}`, is taken from our own environment.'
const EFFECTS = ['read', 'create', 'write', 'execute', 'network', 'destructive'] as const

const OAuth = Type.Object(
  {
    grant: Type.Optional(
      Type.Enum(['authorization_code', 'client_credentials'], {
        description:
          'How leave is got: by a person in a browser (`toolgate mcp login NAME`), the default, or with the secret alone.'
      })
    ),
    client_id: Type.Optional(
      Type.String({ description: 'What we are registered as. Without it we register ourselves where that is offered.' })
    ),
    client_secret: Type.Optional(Type.String({ description: `What we prove that with. ${ENV_SUBSTITUTION_NOTE}` })),
    scope: Type.Optional(Type.String({ description: 'Scopes to ask for, instead of what the server asks for.' })),
    issuer: Type.Optional(Type.String({ description: 'The only authorization server that gets the secret.' })),
    redirect_port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: 'Port on 127.0.0.1 that the browser is sent back to, where a fixed one is registered.'
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
          'How it is spoken to. Without it: `stdio` for a command; for a URL streamable HTTP, and SSE where the server knows only that.'
      })
    ),
    command: Type.Optional(Type.String({ minLength: 1, description: 'Program to start.' })),
    args: Type.Optional(Type.Array(Type.String(), { description: 'Its arguments.' })),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: `Variables that it gets besides the standard ones. ${ENV_SUBSTITUTION_NOTE}`
      })
    ),
    cwd: Type.Optional(Type.String({ description: 'Folder to start it in, from the root of the workspace.' })),
    url: Type.Optional(Type.String({ pattern: '^https?://', description: 'Where it listens.' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: `Headers of each request, such as a key. ${ENV_SUBSTITUTION_NOTE}`
      })
    ),
    oauth: Type.Optional(OAuth),
    disabled: Type.Optional(Type.Boolean({ description: 'Never start it.' })),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, description: 'How long a call of one of its tools may take.' })
    ),
    tools: Type.Optional(
      Type.Object(
        {
          allow: Globs('Only tools with these names.'),
          deny: Globs('No tools with these names; wins.')
        },
        { additionalProperties: false, description: 'Which of its tools are served, by globs over their own names.' }
      )
    ),
    effects: Type.Optional(
      Type.Record(Type.String(), Type.Enum(EFFECTS), {
        description:
          'What its tools do at most, by globs over their names; the last that fits counts. Without it a call is asked about, whatever the server says of itself.'
      })
    ),
    idempotent: Globs('Tools that may be tried again after a fault, by globs over their names.'),
    sandbox: Type.Optional(
      Type.Enum(['workspace', 'read-only', 'none', FORMER_READ_ONLY], {
        description:
          'What keeps its process, instead of what keeps commands. `none`: it has all rights of yours. `strict` is the former name of `read-only`.'
      })
    ),
    network: Type.Optional(
      Type.Array(Type.String({ format: 'host' }), { description: 'Hosts that its process may reach from the sandbox.' })
    ),
    read: Type.Optional(
      Type.Array(Type.String(), { description: 'Further folders and files that its process finds in the sandbox.' })
    ),
    limits: Type.Optional(
      Type.Object(
        {
          cpu_seconds: limit('Processor time of each of its processes; without it they have no limit.'),
          memory_bytes: limit('Memory of all its processes; `sandbox.memory_bytes` without it.'),
          open_files: limit('Files that each of its processes may have open, at most `sandbox.open_files`.')
        },
        { additionalProperties: false, description: 'Limits of its process in the sandbox.' }
      )
    )
  },
  { additionalProperties: false, title: 'McpServer' }
)
export type McpServer = Static<typeof McpServer>

export const McpServersSchema = Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }), McpServer, {
  default: {},
  description:
    'MCP servers by name; each of their tools is served as `mcp:<server>:<tool>`. What a workspace brings is started only once the user trusts that file.'
})

export const McpSchema = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Start MCP servers at all.' }),
    connect_ms: count(30_000, 'How long one may take to start and to list its tools.'),
    timeout_ms: count(60_000, 'How long a call may take where its server has no limit of its own.'),
    max_tools: count(256, 'Tools that are taken from one server.'),
    max_result_bytes: count(
      8_388_608,
      'Largest message that is taken from a server, and most that all pages of its list of tools have.'
    )
  },
  { additionalProperties: false, default: {} }
)
