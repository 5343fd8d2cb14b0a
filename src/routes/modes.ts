// Routes for the modes of sessions.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Calls } from '../engine/calls.ts'
import { PageParams } from '../protocol/request-params.ts'
import { schemaRef } from '../protocol/schema-ref.ts'
import { NewMode, SessionModePage, SessionParams, SessionScopeQuery } from '../protocol/session-mode.ts'
import { problemResponses } from './schema.ts'

export const modeRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.get(
    '/modes',
    {
      schema: {
        operationId: 'listModes',
        summary: 'List session modes set by people, and the default mode.',
        tags: ['modes'],
        querystring: PageParams,
        response: { 200: SessionModePage, ...problemResponses() }
      }
    },
    async ({ query, caller }) => calls.modes(query, caller)
  )

  app.put(
    '/sessions/:session_id/mode',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'setMode',
        summary: 'Set the mode of a session. The mode changes which calls run without approval.',
        tags: ['modes'],
        params: SessionParams,
        body: NewMode,
        response: { 200: schemaRef('SessionMode'), ...problemResponses() }
      }
    },
    async ({ params, body, caller }) => calls.setMode({ ...body, ...params }, caller)
  )

  app.delete(
    '/sessions/:session_id/mode',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'clearMode',
        summary: 'End the mode of a session: the configured mode applies again.',
        tags: ['modes'],
        params: SessionParams,
        querystring: SessionScopeQuery,
        response: {
          200: SessionModePage,
          ...problemResponses()
        }
      }
    },
    async ({ params, query, caller }) => calls.clearMode({ ...query, ...params }, caller)
  )
}
