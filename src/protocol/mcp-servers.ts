// MCP servers whose tools are served.
import { type Static, Type } from 'typebox'

export const McpServerParams = Type.Object({ name: Type.String({ description: 'Name of the server.' }) })
export const McpServerBody = Type.Object(
  { workspace: Type.Optional(Type.String({ description: 'Only its run for this workspace.' })) },
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
    trusted: Type.Boolean({ description: 'A person trusts what the configuration file starts or connects to.' }),
    tools: Type.Integer({ description: 'Number of its tools that are available.' }),
    refused: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), reason: Type.String() }), {
        description: 'Tools that are not offered, each with the reason.'
      })
    ),
    server: Type.Optional(
      Type.Object(
        {
          name: Type.String(),
          version: Type.String(),
          title: Type.Optional(Type.String()),
          protocol: Type.String({ description: 'The version of the protocol that was agreed on.' })
        },
        { description: 'The description that the server gives of itself.' }
      )
    ),
    pid: Type.Optional(Type.Integer({ description: 'Its process.' })),
    restarts: Type.Integer({ description: 'Number of restarts since the configuration was loaded.' }),
    dropped_notifications: Type.Optional(
      Type.Integer({
        description: 'Number of notifications that were dropped since its start, because it sends too many.'
      })
    ),
    retry_at: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the next attempt.' })),
    stderr: Type.Optional(Type.String({ description: 'Its latest error output.' }))
  },
  { title: 'McpServer' }
)
export type McpServerState = Static<typeof McpServerState>

export const McpServerList = Type.Object({ servers: Type.Array(McpServerState) }, { title: 'McpServers' })

export const McpLogin = Type.Object({
  authorization_url: Type.String({ description: 'Where to log in, in a browser on this machine.' }),
  expires_at: Type.String({ format: 'date-time', description: 'Until when that counts.' })
})
export type McpLogin = Static<typeof McpLogin>
