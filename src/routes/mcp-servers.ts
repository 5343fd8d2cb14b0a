// Routes for MCP servers whose tools are served: state, login, restart.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  McpLogin,
  McpServerBody,
  McpServerList,
  McpServerParams,
  type McpServerState
} from '../protocol/mcp-servers.ts'
import { problemResponses } from './schema.ts'

export interface McpServersService {
  states(): McpServerState[]
  login(name: string, workspace?: string): Promise<McpLogin>
  logout(name: string, workspace?: string): Promise<void>
  restart(name: string, workspace?: string): Promise<void>
}

export const mcpServerRoutes: FastifyPluginAsyncTypebox<{ mcpServers: McpServersService }> = async (
  app,
  { mcpServers }
) => {
  app.get(
    '/mcp-servers',
    {
      schema: {
        operationId: 'listMcpServers',
        summary: 'List MCP servers and their status.',
        tags: ['server'],
        response: { 200: McpServerList, ...problemResponses() }
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
        summary: 'Start a login to a remote MCP server. The response has the URL that a person must open.',
        tags: ['server'],
        params: McpServerParams,
        body: McpServerBody,
        response: {
          200: McpLogin,
          ...problemResponses('NOT_FOUND', 'CONFLICT', 'MCP_ERROR')
        }
      }
    },
    async ({ params: { name }, body: { workspace } }) => mcpServers.login(name, workspace)
  )

  for (const [action, summary] of [
    ['logout', 'Delete the stored credentials of a remote MCP server.'],
    ['restart', 'Restart an MCP server. The response is sent when the server is ready or has failed.']
  ] as const)
    app.post(
      `/mcp-servers/:name/${action}`,
      {
        config: { right: 'approve' },
        schema: {
          operationId: `${action}McpServer`,
          summary,
          tags: ['server'],
          params: McpServerParams,
          body: McpServerBody,
          response: { 200: McpServerList, ...problemResponses('NOT_FOUND') }
        }
      },
      async ({ params: { name }, body: { workspace } }) => {
        await mcpServers[action](name, workspace)
        return { servers: mcpServers.states().filter(server => server.name === name) }
      }
    )
}
