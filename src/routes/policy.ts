// Route for explaining the policy's verdict on a call.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Calls } from '../engine/calls.ts'
import { CallRequest } from '../protocol/call-requests.ts'
import { Explanation } from '../protocol/explanation.ts'
import { EVALUATION_ERRORS, problemResponses } from './schema.ts'

export const policyRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.post(
    '/policy/explain',
    {
      schema: {
        operationId: 'explainPolicy',
        summary: 'Explain the decision about a call, without running the call.',
        tags: ['rules'],
        body: CallRequest,
        response: {
          200: Explanation,
          ...problemResponses(...EVALUATION_ERRORS)
        }
      }
    },
    async ({ body, caller }) => calls.explain({ ...body, params: body.params ?? {} }, caller)
  )
}
