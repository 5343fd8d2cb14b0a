// The catalogue over HTTP.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Catalog } from '../catalog/catalog.ts'
import { LISTINGS } from '../catalog/listing.ts'
import { ToolError } from '../errors.ts'
import { problems } from './schema.ts'

const ToolsQuery = Type.Object(
  {
    format: Type.Enum(['native', 'openai', 'anthropic', 'mcp'], {
      default: 'native',
      description: 'The dialect to list in.'
    }),
    agent: Type.Optional(Type.String({ description: "Only this agent's tool set." }))
  },
  { additionalProperties: false }
)
const Listed = Type.Object(
  {},
  { additionalProperties: true, description: 'A tool in the asked-for dialect, with the JSON Schema of its params.' }
)

export const toolRoutes: FastifyPluginAsyncTypebox<{ catalog: Catalog }> = async (app, { catalog }) => {
  app.get(
    '/tools',
    {
      schema: {
        operationId: 'listTools',
        summary: 'The tools that may be called.',
        tags: ['tools'],
        querystring: ToolsQuery,
        response: { 200: Type.Object({ tools: Type.Array(Listed) }), ...problems('INVALID_PARAMS') }
      }
    },
    async ({ query: { format, agent } }) => ({ tools: catalog.list(agent).map(LISTINGS[format]) })
  )

  app.get(
    '/tools/:name',
    {
      schema: {
        operationId: 'getTool',
        summary: 'One tool.',
        tags: ['tools'],
        params: Type.Object({ name: Type.String() }),
        querystring: ToolsQuery,
        response: { 200: Listed, ...problems('UNKNOWN_TOOL') }
      }
    },
    async ({ params: { name }, query: { format, agent } }) => {
      const tool = catalog.find(name, agent)
      if (!tool) throw new ToolError('UNKNOWN_TOOL', `There is no tool ${JSON.stringify(name.slice(0, 80))} here.`)
      return LISTINGS[format](tool)
    }
  )
}
