// Routes for delegations to front ends, and their answers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Delegations } from '../engine/editors/delegations.ts'
import { takePage } from '../engine/list-page.ts'
import {
  AnsweredDelegation,
  Delegation,
  DelegationAnswerBody,
  DelegationPage,
  DelegationParams,
  DelegationsQuery
} from '../protocol/delegations.ts'
import { problemResponses } from './schema.ts'

export const delegationRoutes: FastifyPluginAsyncTypebox<{ delegations: Delegations }> = async (
  app,
  { delegations }
) => {
  app.get(
    '/delegations',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'listDelegations',
        summary: 'List open delegations, oldest first.',
        tags: ['front ends'],
        querystring: DelegationsQuery,
        response: {
          200: DelegationPage,
          ...problemResponses()
        }
      }
    },
    async ({ query: { client_id, ...page } }) => {
      const { items, ...rest } = takePage(delegations.listOpen(client_id), ({ delegation_id }) => delegation_id, page)
      return { delegations: items, ...rest }
    }
  )

  app.get(
    '/delegations/:id',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'getDelegation',
        summary: 'Get an open delegation, for example if its event omits the data.',
        tags: ['front ends'],
        params: DelegationParams,
        response: { 200: Delegation, ...problemResponses('NOT_FOUND') }
      }
    },
    async ({ params }) => delegations.get(params.id)
  )

  app.post(
    '/delegations/:id',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'answerDelegation',
        summary: 'Answer a delegation. Only the first answer counts.',
        tags: ['front ends'],
        params: DelegationParams,
        body: DelegationAnswerBody,
        response: {
          200: AnsweredDelegation,
          ...problemResponses('NOT_FOUND', 'CONFLICT')
        }
      }
    },
    async ({ params, body, caller }) => delegations.answer(params.id, body, caller.client)
  )
}
