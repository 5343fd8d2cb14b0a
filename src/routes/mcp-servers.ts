// Routes for MCP servers whose tools are served: state, login, restart.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { McpServerState } from '../host/mcp/mcp-client.ts'
import { problemResponses } from './schema.ts'

export interface McpServersService {
  states(): McpServerState[]
  login(name: string, workspace?: string): Promise<{ authorization_url: string; expires_at: string }>
  logout(name: string, workspace?: string): Promise<void>
  restart(name: string, workspace?: string): Promise<void>
}

const Servers = Type.Object(
  {
    servers: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'The configured name of the server.' }),
          workspace: Type.String({ description: 'The workspace that this process serves.' }),
          transport: Type.Enum(['stdio', 'http', 'sse'], { description: 'The transport of the protocol.' }),
          state: Type.Enum(
            ['untrusted', 'disabled', 'waiting', 'connecting', 'ready', 'backing_off', 'needs_login', 'failed'],
            { description: 'The state of the connection.' }
          ),
          reason: Type.Optional(
            Type.String({ description: 'Reason why the server is not ready, and how to resolve it.' })
          ),
          tools: Type.Integer({ description: 'Number of its tools that are available.' })
        },
        { additionalProperties: true }
      )
    )
  },
  { title: 'McpServers' }
)

const ServerParams = Type.Object({ name: Type.String({ description: 'Name of the server.' }) })
const WorkspaceBody = Type.Object(
  { workspace: Type.Optional(Type.String({ description: 'Only its run for this workspace.' })) },
  { additionalProperties: false }
)

export const mcpServerRoutes: FastifyPluginAsyncTypebox<{ mcpServers: McpServersService }> = async (
  app,
  { mcpServers }
) => {
  app.get(
    '/mcp-servers',
    {
      schema: {
        operationId: 'listMcpServers',
        summary: 'MCP servers whose tools are served, and how things stand with them.',
        tags: ['server'],
        response: { 200: Servers, ...problemResponses() }
      }
    },
    async () => ({ servers: mcpServers.states() })
  )

  app.post(
    '/mcp-servers/:name/login',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'loginToMcpServer',
        summary: 'Begin a login to a remote MCP server: a person goes to the address and comes back.',
        tags: ['server'],
        params: ServerParams,
        body: WorkspaceBody,
        response: {
          200: Type.Object({
            authorization_url: Type.String({ description: 'Where to log in, in a browser on this machine.' }),
            expires_at: Type.String({ format: 'date-time', description: 'Until when that counts.' })
          }),
          ...problemResponses('NOT_FOUND', 'CONFLICT', 'MCP_ERROR')
        }
      }
    },
    async ({ params: { name }, body: { workspace } }) => mcpServers.login(name, workspace)
  )

  for (const [action, summary] of [
    ['logout', 'Forget what logins to a remote MCP server gave.'],
    ['restart', 'Start an MCP server anew; answers once it is ready or has failed.']
  ] as const)
    app.post(
      `/mcp-servers/:name/${action}`,
      {
        config: { right: 'approve' },
        schema: {
          operationId: `${action}McpServer`,
          summary,
          tags: ['server'],
          params: ServerParams,
          body: WorkspaceBody,
          response: { 200: Servers, ...problemResponses('NOT_FOUND') }
        }
      },
      async ({ params: { name }, body: { workspace } }) => {
        await mcpServers[action](name, workspace)
        return { servers: mcpServers.states().filter(server => server.name === name) }
      }
    )
}
