// Routes for the modes of sessions.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Calls } from '../engine/calls.ts'
import { SessionMode } from '../protocol/session-mode.ts'
import { NextCursor, PageParams, problemResponses, schemaRef } from './schema.ts'

const SessionParams = Type.Object({
  session_id: Type.String({ minLength: 1, maxLength: 256, description: 'The session.' })
})
const workspace = Type.Optional(
  Type.String({ maxLength: 64, description: 'Name of the workspace, if there are several.' })
)
const token_id = Type.Optional(
  Type.String({
    maxLength: 256,
    description:
      'The call-only token whose session it is. It is needed if calls of several tokens name the session, or none yet; ' +
      '`server:call` is the one of the server.'
  })
)

const NewMode = Type.Object(
  {
    mode: SessionMode,
    workspace,
    token_id,
    expires_at: Type.Optional(
      Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'When it ends by itself.' })
    )
  },
  { additionalProperties: false }
)

const ModePage = Type.Object(
  {
    default: SessionMode,
    modes: Type.Array(schemaRef('SessionMode')),
    cursor: NextCursor
  },
  { title: 'SessionModes' }
)

export const modeRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.get(
    '/modes',
    {
      schema: {
        operationId: 'listModes',
        summary: 'Modes of sessions that a person has set, and the mode of all others.',
        tags: ['modes'],
        querystring: PageParams,
        response: { 200: ModePage, ...problemResponses() }
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
        summary: 'Set the mode of a session: which of its calls run without asking.',
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
        summary: 'Return a session to the configured mode.',
        tags: ['modes'],
        params: SessionParams,
        querystring: Type.Object({ workspace, token_id }),
        response: {
          200: ModePage,
          ...problemResponses()
        }
      }
    },
    async ({ params, query, caller }) => calls.clearMode({ ...query, ...params }, caller)
  )
}
