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
        summary: 'The same catalogue as an MCP server: streamable HTTP.',
        description:
          'Takes JSON-RPC messages of the Model Context Protocol, of the generation with sessions and of the one without. ' +
          'Answers with JSON, or with a stream where there is more to say than the response.',
        headers: McpHeaders,
        response: {
          200: {
            description: 'The response, or a stream of messages that ends with it.',
            content: { 'application/json': { schema: McpMessage }, ...eventStreamContent }
          },
          202: { description: 'Notifications and responses were taken.', type: 'null' },
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
        summary:
          'What an MCP session is told besides its answers; with Last-Event-ID, the rest of an answer that was lost.',
        headers: McpStreamHeaders,
        response: {
          200: { description: 'A stream of messages.', content: eventStreamContent },
          406: { description: 'Accept leaves out text/event-stream.', content: errorContent },
          409: { description: 'The request was sent again: its answer is there.', content: errorContent },
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
        summary: 'End an MCP session; what it still waits for is cancelled.',
        headers: McpHeaders,
        response: { 200: { description: 'It has ended.', type: 'null' }, ...errorResponses }
      }
    },
    async (request, reply) => (await endpoint()).delete(request, reply)
  )
}
