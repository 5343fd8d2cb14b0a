// Routes for saved rules.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { NewRuleBody, RuleTest, RuleTestBody } from '../engine/approvals/rule-test-schema.ts'
import type { Calls } from '../engine/calls.ts'
import { watchDisconnect } from './http/disconnect.ts'
import { NextCursor, PageParams, problemResponses, schemaRef } from './schema.ts'

export const ruleRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.get(
    '/rules',
    {
      schema: {
        operationId: 'listRules',
        summary: 'Remembered rules, oldest first.',
        tags: ['rules'],
        querystring: PageParams,
        response: {
          200: Type.Object({ rules: Type.Array(schemaRef('Rule')), cursor: NextCursor }),
          ...problemResponses()
        }
      }
    },
    async ({ query, caller }) => {
      const { items, ...rest } = calls.rules(query, caller)
      return { rules: items, ...rest }
    }
  )

  app.post(
    '/rules',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'addRule',
        summary: 'Remember a rule.',
        tags: ['rules'],
        body: NewRuleBody,
        response: { 201: schemaRef('Rule'), ...problemResponses() }
      }
    },
    async ({ body, caller }, reply) => reply.code(201).send(await calls.addRule(body, caller))
  )

  app.post(
    '/rules/test',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'testRules',
        summary: 'Compare the decisions about past calls with those under a changed rule or mode.',
        tags: ['rules'],
        body: RuleTestBody,
        response: { 200: RuleTest, ...problemResponses('NOT_FOUND') }
      }
    },
    async ({ body, caller }, reply) => calls.testRules(body, caller, watchDisconnect(reply).signal)
  )

  app.delete(
    '/rules/:id',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'revokeRule',
        summary: 'Take a remembered rule back.',
        tags: ['rules'],
        params: Type.Object({ id: Type.String({ description: 'rule_id' }) }),
        response: { 200: schemaRef('Rule'), ...problemResponses('NOT_FOUND') }
      }
    },
    async ({ params }) => calls.revokeRule(params.id)
  )
}
