// Routes for the tool catalog.
import { hash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Catalog } from '../catalog/catalog.ts'
import { LISTING_FORMATS } from '../catalog/listing.ts'
import type { Calls } from '../engine/calls.ts'
import { resolveAgent } from '../engine/resolve-agent.ts'
import { ToolError } from '../errors.ts'
import { FormattedTool, ToolListing, ToolNameParams, ToolsHeaders, ToolsQuery } from '../protocol/tools.ts'
import { sendJson } from './calls.ts'
import { problemResponses } from './schema.ts'

export const toolRoutes: FastifyPluginAsyncTypebox<{ calls: Calls; catalog: Catalog }> = async (
  app,
  { calls, catalog }
) => {
  app.get(
    '/tools',
    {
      schema: {
        operationId: 'listTools',
        summary: 'List available tools.',
        tags: ['tools'],
        querystring: ToolsQuery,
        headers: ToolsHeaders,
        response: {
          200: ToolListing,
          304: { description: 'The list still has the ETag of If-None-Match.' },
          ...problemResponses()
        }
      }
    },
    async ({ query: { format, agent, toolset, workspace }, caller, headers }, reply) => {
      const may_approve = caller.rights.has('approve')
      const tools = catalog.list({
        agent: resolveAgent(agent, caller),
        toolset,
        may_approve,
        workspace: calls.resolveWorkspaceName(workspace)
      })
      const json = JSON.stringify({ tools: tools.map(tool => LISTING_FORMATS[format](tool)) })
      const tag = `"${hash('sha256', json, 'base64url')}"`
      reply.header('etag', tag).header('cache-control', 'private, no-cache')
      return headers['if-none-match']?.includes(tag) ? reply.code(304).send() : sendJson(reply, 200, json)
    }
  )

  app.get(
    '/tools/:name',
    {
      schema: {
        operationId: 'getTool',
        summary: 'Get one tool.',
        tags: ['tools'],
        params: ToolNameParams,
        querystring: ToolsQuery,
        response: { 200: FormattedTool, ...problemResponses('UNKNOWN_TOOL') }
      }
    },
    async ({ params: { name }, query: { format, agent, toolset, workspace }, caller }) => {
      const may_approve = caller.rights.has('approve')
      const tool = catalog.findListed(name, {
        agent: resolveAgent(agent, caller),
        toolset,
        may_approve,
        workspace: calls.resolveWorkspaceName(workspace)
      })
      if (!tool) throw new ToolError('UNKNOWN_TOOL', `There is no tool ${JSON.stringify(name.slice(0, 80))}.`)
      return LISTING_FORMATS[format](tool)
    }
  )
}
