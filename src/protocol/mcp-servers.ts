// MCP servers whose tools are served.
import { type Static, Type } from 'typebox'

export const McpServerParams = Type.Object({ name: Type.String({ description: 'Name of the server.' }) })
export const McpServerBody = Type.Object(
  { workspace: Type.Optional(Type.String({ description: 'Limits the request to the MCP server of this workspace.' })) },
  { additionalProperties: false }
)

/** State of a server in a workspace. */
export const McpServerState = Type.Object(
  {
    name: Type.String({ description: 'The configured name of the server.' }),
    workspace: Type.String({ description: 'The workspace that this process serves.' }),
    transport: Type.Enum(['stdio', 'http', 'sse'], { description: 'Transport of the MCP protocol.' }),
    state: Type.Enum(
      ['untrusted', 'disabled', 'waiting', 'connecting', 'ready', 'backing_off', 'needs_login', 'failed'],
      { description: 'The state of the connection.' }
    ),
    reason: Type.Optional(Type.String({ description: 'Reason why the server is not ready, and how to resolve it.' })),
    file: Type.Optional(
      Type.String({ description: "Configuration file that defines the server. Missing for the user's configuration." })
    ),
    trusted: Type.Boolean({ description: 'True if the configuration file is trusted.' }),
    tools: Type.Integer({ description: 'Number of available tools of the server.' }),
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
          protocol: Type.String({ description: 'MCP version that was negotiated.' })
        },
        { description: 'Description that the server sent.' }
      )
    ),
    pid: Type.Optional(Type.Integer({ description: 'Process id.' })),
    restarts: Type.Integer({ description: 'Number of restarts since the configuration was loaded.' }),
    dropped_notifications: Type.Optional(
      Type.Integer({
        description: 'Number of notifications that were dropped since the start, because of a rate limit.'
      })
    ),
    retry_at: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the next connection attempt.' })),
    stderr: Type.Optional(Type.String({ description: 'Latest output on standard error.' }))
  },
  { title: 'McpServer' }
)
export type McpServerState = Static<typeof McpServerState>

export const McpServerList = Type.Object({ servers: Type.Array(McpServerState) }, { title: 'McpServers' })

export const McpLogin = Type.Object({
  authorization_url: Type.String({
    description: 'Login URL, for a browser on the machine of Toolgate.'
  }),
  expires_at: Type.String({ format: 'date-time', description: 'Time when the URL expires.' })
})
export type McpLogin = Static<typeof McpLogin>
