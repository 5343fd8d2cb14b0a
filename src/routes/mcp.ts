// Route of the MCP server for the catalog, over streamable HTTP. The implementation is loaded on first use.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { CallRequest } from '../protocol/call-requests.ts'
import type { McpEndpoint, McpServices } from './mcp/endpoint.ts'
import { problemResponses } from './schema.ts'

const { agent, toolset, workspace, session_id } = CallRequest.properties
const McpQuery = Type.Object({ agent, toolset, workspace, session_id }, { additionalProperties: false })

const SessionId = Type.String({ maxLength: 4_096, description: 'From the answer to `initialize`.' })
const McpHeaders = Type.Object({
  'mcp-session-id': Type.Optional(SessionId),
  'mcp-protocol-version': Type.Optional(Type.String({ maxLength: 64, description: 'The version that was agreed on.' })),
  'x-toolgate-agent': Type.Optional(agent)
})
const eventStreamContent = { 'text/event-stream': { schema: Type.String() } }
const Message = Type.Object({}, { additionalProperties: true, description: 'A JSON-RPC message.' })
const commonSchema = { tags: ['mcp'], querystring: McpQuery }
const ErrorMessage = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Union([Type.String(), Type.Number(), Type.Null()]),
    error: Type.Object({ code: Type.Integer(), message: Type.String() })
  },
  { title: 'McpError', description: 'What the protocol refuses; the rest is a problem.' }
)
const errorContent = { 'application/json': { schema: ErrorMessage } }
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
            content: { 'application/json': { schema: Message }, ...eventStreamContent }
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
        headers: Type.Object({
          ...McpHeaders.properties,
          'last-event-id': Type.Optional(Type.String({ maxLength: 4_096 }))
        }),
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
