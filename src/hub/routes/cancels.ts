// Route by which people cancel calls of servers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { cancel } from '../cancels.ts'
import type { Database } from '../database/database.ts'
import { CancelBody } from './schemas.ts'

export const cancelRoutes: FastifyPluginAsyncTypebox<{ database: Database }> = async (app, { database }) => {
  app.post(
    '/cancel',
    { config: { role: 'approver' }, schema: { body: CancelBody } },
    async ({ body, principal }, reply) =>
      reply.code(202).send(await cancel(database, body, { id: principal.id, name: principal.name }))
  )
}
