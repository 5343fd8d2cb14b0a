// Routes for the named shells of sessions.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Calls } from '../engine/calls.ts'
import { problemResponses } from './schema.ts'

const SessionParams = Type.Object({ session_id: Type.String({ minLength: 1, description: 'The session.' }) })
const ShellParams = Type.Object({
  ...SessionParams.properties,
  name: Type.String({ minLength: 1, description: 'The shell.' })
})
const SessionQuery = Type.Object({
  workspace: Type.Optional(Type.String({ description: 'Name of the workspace, if there are several.' })),
  token_id: Type.Optional(
    Type.String({ description: 'Only shells of this call-only token, for callers that may approve.' })
  )
})

const ShellList = Type.Object(
  {
    shells: Type.Array(
      Type.Object({
        name: Type.String({ description: 'As in the param `shell` of `shell_exec`.' }),
        token_id: Type.Optional(Type.String({ description: 'The call-only token that it belongs to.' })),
        cwd: Type.String({ description: 'Folder in which its next command starts, relative to the workspace root.' }),
        variables: Type.Array(Type.String(), { description: 'Names of the exported variables that it gets.' }),
        updated_at: Type.String({ format: 'date-time', description: 'End of its last command.' })
      })
    )
  },
  { title: 'ShellList' }
)

export const shellRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.get(
    '/sessions/:session_id/shells',
    {
      schema: {
        operationId: 'listShells',
        summary: 'Named shells of a session: their folders and variables, without values.',
        tags: ['shells'],
        params: SessionParams,
        querystring: SessionQuery,
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
        querystring: SessionQuery,
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
