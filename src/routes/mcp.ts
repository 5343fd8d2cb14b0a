// Route of the MCP server for the catalog, over streamable HTTP. The implementation is loaded on first use.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { McpError, McpHeaders, McpMessage, McpQuery, McpStreamHeaders } from '../protocol/mcp.ts'
import { eventStreamContent } from '../protocol/response-content.ts'
import type { McpEndpoint, McpServices } from './mcp/endpoint.ts'
import { problemResponses } from './schema.ts'

const commonSchema = { tags: ['mcp'], querystring: McpQuery }
const errorContent = { 'application/json': { schema: McpError } }
const { '400': invalid, '404': unknown, ...otherProblems } = problemResponses('NOT_FOUND')
const errorResponses = {
  ...otherProblems,
  400: { ...invalid!, content: { ...invalid!.content, ...errorContent } },
  404: { ...unknown!, content: { ...unknown!.content, ...errorContent } }
}

export const mcpRoutes: FastifyPluginAsyncTypebox<McpServices> = async (app, services) => {
  let opened: Promise<McpEndpoint> | undefined
  const endpoint = () => {
    opened ??= import('./mcp/endpoint.ts').then(
      ({ McpEndpoint }) => new McpEndpoint(services, error => app.log.debug({ err: error }, 'an MCP request failed'))
    )
    return opened
  }
  app.addHook('preClose', async () => (await opened)?.close())

  app.post(
    '/mcp',
    {
      schema: {
        ...commonSchema,
        operationId: 'sendMcp',
        summary: 'MCP endpoint (streamable HTTP) with the same tools as the HTTP API.',
        description:
          'Accepts JSON-RPC messages of the Model Context Protocol, with or without sessions. Responds with JSON, or with a stream if there are further messages.',
        headers: McpHeaders,
        response: {
          200: {
            description: 'The response, or a stream of messages that ends with it.',
            content: { 'application/json': { schema: McpMessage }, ...eventStreamContent }
          },
          202: { description: 'Notifications and responses were accepted.', type: 'null' },
          ...errorResponses
        }
      }
    },
    async (request, reply) => (await endpoint()).post(request, reply)
  )

  app.get(
    '/mcp',
    {
      schema: {
        ...commonSchema,
        operationId: 'followMcp',
        summary: 'Messages of an MCP session other than responses. With Last-Event-ID: the rest of a response.',
        headers: McpStreamHeaders,
        response: {
          200: { description: 'A stream of messages.', content: eventStreamContent },
          406: { description: 'The Accept header does not allow text/event-stream.', content: errorContent },
          409: {
            description: 'A newer request with the same id gets the response.',
            content: errorContent
          },
          ...errorResponses
        }
      }
    },
    async (request, reply) => (await endpoint()).get(request, reply)
  )

  app.delete(
    '/mcp',
    {
      schema: {
        ...commonSchema,
        operationId: 'endMcp',
        summary: 'End an MCP session; its open requests are cancelled.',
        headers: McpHeaders,
        response: { 200: { description: 'The session has ended.', type: 'null' }, ...errorResponses }
      }
    },
    async (request, reply) => (await endpoint()).delete(request, reply)
  )
}
