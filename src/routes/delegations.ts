// Routes for delegations to front ends, and their answers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Delegations } from '../engine/editors/delegations.ts'
import { takePage } from '../engine/list-page.ts'
import { FRONT_END_EFFECTS } from '../protocol/front-end.ts'
import { ClientIdParam, NextCursor, PAGE_PARAMS, problemResponses } from './schema.ts'

const Delegation = Type.Object(
  {
    delegation_id: Type.String(),
    effect: Type.Enum(Object.keys(FRONT_END_EFFECTS), { description: 'What to do.' }),
    client_id: Type.String({ description: 'The front end that is asked.' }),
    params: Type.Record(Type.String(), Type.Unknown()),
    expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Until when an answer counts; left out where it is open until it is withdrawn.'
      })
    ),
    tool_call_id: Type.String({ description: 'The call that waits for it.' }),
    session_id: Type.String(),
    workspace: Type.String()
  },
  { title: 'Delegation' }
)
/** The union of all effects' answers; the delegation validates which fields belong to its effect. */
const DelegationAnswerBody = Type.Object(
  {
    status: Type.Enum(['done', 'refused']),
    reason: Type.Optional(Type.String({ maxLength: 4_096, description: 'Why it was refused.' })),
    ...Type.Partial(
      Type.Object(Object.assign({}, ...Object.values(FRONT_END_EFFECTS).map(({ answer }) => answer.properties)))
    ).properties
  },
  { additionalProperties: false, title: 'DelegationAnswer' }
)
const DelegationParams = Type.Object({ id: Type.String({ description: 'delegation_id' }) })

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
        summary: 'What waits for a front end, oldest first.',
        tags: ['front ends'],
        querystring: Type.Object(
          { client_id: Type.Optional(ClientIdParam), ...PAGE_PARAMS },
          { additionalProperties: false }
        ),
        response: {
          200: Type.Object({ delegations: Type.Array(Delegation), cursor: NextCursor }),
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
        summary: 'One that waits, whole, where its event was too large.',
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
        summary: 'Answer for the front end that was asked. The first answer counts.',
        tags: ['front ends'],
        params: DelegationParams,
        body: DelegationAnswerBody,
        response: {
          200: Type.Object({
            delegation_id: Type.String(),
            outcome: Type.Enum(['done', 'refused']),
            by: Type.String(),
            reason: Type.Optional(Type.String())
          }),
          ...problemResponses('NOT_FOUND', 'CONFLICT')
        }
      }
    },
    async ({ params, body, caller }) => delegations.answer(params.id, body, caller.client)
  )
}
