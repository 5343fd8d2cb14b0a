// Route by which people cancel calls of servers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CancelBody } from '../../protocol/hub.ts'
import { DecisionAnswer } from '../../protocol/hub-answers.ts'
import { cancel } from '../cancels.ts'
import type { Database } from '../database/database.ts'
import { describeOperation } from './operation.ts'

export const cancelRoutes: FastifyPluginAsyncTypebox<{ database: Database }> = async (app, { database }) => {
  app.post(
    '/cancel',
    {
      config: { role: 'approver' },
      schema: {
        body: CancelBody,
        ...describeOperation(
          ['cancel', 'Cancel a call or its job. Its server checks the request.', 'approvals'],
          202,
          DecisionAnswer,
          'NOT_FOUND',
          'CONFLICT'
        )
      }
    },
    async ({ body, principal }, reply) =>
      reply.code(202).send(await cancel(database, body, { id: principal.id, name: principal.name }))
  )
}
