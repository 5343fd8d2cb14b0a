// Delegations over HTTP: what front ends are asked to do, and their answers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Delegations } from '../calls/delegations.ts'
import { problems } from './schema.ts'

const Delegation = Type.Object(
  {
    delegation_id: Type.String(),
    effect: Type.String({ description: 'What to do.' }),
    client_id: Type.String({ description: 'The front end that is asked.' }),
    params: Type.Record(Type.String(), Type.Unknown()),
    expires_at: Type.String({ format: 'date-time', description: 'Until when an answer counts.' }),
    tool_call_id: Type.String({ description: 'The call that waits for it.' }),
    session_id: Type.String(),
    workspace: Type.String()
  },
  { title: 'Delegation' }
)
const Id = Type.Object({ id: Type.String({ description: 'delegation_id' }) })

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
        tags: ['buffers'],
        response: { 200: Type.Object({ delegations: Type.Array(Delegation) }), ...problems() }
      }
    },
    async () => ({ delegations: delegations.open() })
  )

  app.get(
    '/delegations/:id',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'getDelegation',
        summary: 'One that waits, whole, where its event was too large.',
        tags: ['buffers'],
        params: Id,
        response: { 200: Delegation, ...problems('NOT_FOUND') }
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
        tags: ['buffers'],
        params: Id,
        body: Type.Object(
          {
            status: Type.Enum(['done', 'refused']),
            reason: Type.Optional(Type.String({ maxLength: 4_096, description: 'Why it was refused.' })),
            content_hash: Type.Optional(
              Type.String({
                pattern: '^sha256:[0-9a-f]{64}$',
                description: 'sha256 of the text that the front end holds now, in UTF-8.'
              })
            )
          },
          { additionalProperties: false }
        ),
        response: {
          200: Type.Object({
            delegation_id: Type.String(),
            outcome: Type.Enum(['done', 'refused']),
            by: Type.String(),
            reason: Type.Optional(Type.String())
          }),
          ...problems('INVALID_PARAMS', 'NOT_FOUND', 'CONFLICT')
        }
      }
    },
    async ({ params, body, caller }) => delegations.answer(params.id, body, caller.client)
  )
}
