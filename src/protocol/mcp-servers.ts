// MCP servers whose tools are served.
import { type Static, Type } from 'typebox'

export const McpServerParams = Type.Object({ name: Type.String({ description: 'Name of the server.' }) })
export const McpServerBody = Type.Object(
  { workspace: Type.Optional(Type.String({ description: 'Only the instance for this workspace.' })) },
  { additionalProperties: false }
)

/** State of a server in a workspace. */
export const McpServerState = Type.Object(
  {
    name: Type.String({ description: 'The configured name of the server.' }),
    workspace: Type.String({ description: 'The workspace that this process serves.' }),
    transport: Type.Enum(['stdio', 'http', 'sse'], { description: 'The transport of the protocol.' }),
    state: Type.Enum(
      ['untrusted', 'disabled', 'waiting', 'connecting', 'ready', 'backing_off', 'needs_login', 'failed'],
      { description: 'The state of the connection.' }
    ),
    reason: Type.Optional(Type.String({ description: 'Reason why the server is not ready, and how to resolve it.' })),
    file: Type.Optional(Type.String({ description: "The configuration file that defines it, if not the user's." })),
    trusted: Type.Boolean({ description: 'The configuration file is trusted.' }),
    tools: Type.Integer({ description: 'Number of its tools that are available.' }),
    refused: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), reason: Type.String() }), {
        description: 'Tools that are not available, each with the reason.'
      })
    ),
    server: Type.Optional(
      Type.Object(
        {
          name: Type.String(),
          version: Type.String(),
          title: Type.Optional(Type.String()),
          protocol: Type.String({ description: 'Negotiated protocol version.' })
        },
        { description: 'Description by the server.' }
      )
    ),
    pid: Type.Optional(Type.Integer({ description: 'Process id.' })),
    restarts: Type.Integer({ description: 'Number of restarts since the configuration was loaded.' }),
    dropped_notifications: Type.Optional(
      Type.Integer({
        description: 'Number of dropped notifications since the start, because of a rate limit.'
      })
    ),
    retry_at: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the next attempt.' })),
    stderr: Type.Optional(Type.String({ description: 'Latest output on standard error.' }))
  },
  { title: 'McpServer' }
)
export type McpServerState = Static<typeof McpServerState>

export const McpServerList = Type.Object({ servers: Type.Array(McpServerState) }, { title: 'McpServers' })

export const McpLogin = Type.Object({
  authorization_url: Type.String({ description: 'Login URL, for a browser on this machine.' }),
  expires_at: Type.String({ format: 'date-time', description: 'Expiry of the URL.' })
})
export type McpLogin = Static<typeof McpLogin>
