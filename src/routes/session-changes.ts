// Route for the changes of a session.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Calls } from '../engine/calls.ts'
import { SessionChangesPage, SessionChangesParams } from '../protocol/session-changes.ts'
import { SessionParams } from '../protocol/session-mode.ts'
import { problemResponses } from './schema.ts'

export const sessionChangeRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.get(
    '/sessions/:session_id/changes',
    {
      schema: {
        operationId: 'listChanges',
        summary: 'List the files that the calls of a session changed, each with the whole change as one diff.',
        tags: ['calls'],
        params: SessionParams,
        querystring: SessionChangesParams,
        response: {
          200: SessionChangesPage,
          ...problemResponses('NOT_FOUND', 'UNKNOWN_TOOL', 'WORKSPACE_GONE', 'TIMEOUT')
        }
      }
    },
    async ({ params, query, caller }) => calls.sessionChanges({ ...query, ...params }, caller)
  )
}
