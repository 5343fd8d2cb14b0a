// Routes for the named shells of sessions.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Calls } from '../engine/calls.ts'
import { SessionParams } from '../protocol/session-mode.ts'
import { ShellList, ShellParams, ShellsQuery } from '../protocol/shells.ts'
import { problemResponses } from './schema.ts'

export const shellRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.get(
    '/sessions/:session_id/shells',
    {
      schema: {
        operationId: 'listShells',
        summary: 'List the named shells of a session, with their folders and the names of their variables.',
        tags: ['shells'],
        params: SessionParams,
        querystring: ShellsQuery,
        response: { 200: ShellList, ...problemResponses() }
      }
    },
    async ({ params, query, caller }) => ({ shells: calls.shells({ ...query, ...params }, caller) })
  )

  app.delete(
    '/sessions/:session_id/shells/:name',
    {
      schema: {
        operationId: 'resetShell',
        summary: 'Reset a named shell: its next command starts in the workspace root without its variables.',
        tags: ['shells'],
        params: ShellParams,
        querystring: ShellsQuery,
        response: { 200: ShellList, ...problemResponses('NOT_FOUND') }
      }
    },
    async ({ params: { name, ...params }, query, caller }) => {
      const session = { ...query, ...params }
      await calls.resetShell(session, name, caller)
      return { shells: calls.shells(session, caller) }
    }
  )
}
