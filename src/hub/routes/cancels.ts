// Route by which people cancel calls of servers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CancelBody } from '../../protocol/hub.ts'
import { cancel } from '../cancels.ts'
import type { Database } from '../database/database.ts'

export const cancelRoutes: FastifyPluginAsyncTypebox<{ database: Database }> = async (app, { database }) => {
  app.post(
    '/cancel',
    { config: { role: 'approver' }, schema: { body: CancelBody } },
    async ({ body, principal }, reply) =>
      reply.code(202).send(await cancel(database, body, { id: principal.id, name: principal.name }))
  )
}
