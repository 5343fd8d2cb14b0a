// Routes for saved rules.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Calls } from '../engine/calls.ts'
import { PageParams } from '../protocol/request-params.ts'
import { RulePage, RuleParams } from '../protocol/rule-list.ts'
import { NewRuleBody, RuleTest, RuleTestBody } from '../protocol/rule-test.ts'
import { schemaRef } from '../protocol/schema-ref.ts'
import { watchDisconnect } from './http/disconnect.ts'
import { problemResponses } from './schema.ts'

export const ruleRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.get(
    '/rules',
    {
      schema: {
        operationId: 'listRules',
        summary: 'List saved rules, oldest first, and the rules of the hub.',
        tags: ['rules'],
        querystring: PageParams,
        response: {
          200: RulePage,
          ...problemResponses()
        }
      }
    },
    async ({ query, caller }) => {
      const { items, ...rest } = calls.rules(query, caller)
      const hub = query.cursor === undefined ? calls.hubRules(caller) : undefined
      return { rules: items, ...rest, ...(hub && { hub }) }
    }
  )

  app.post(
    '/rules',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'addRule',
        summary: 'Save a rule.',
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
        summary: 'Compare the decisions about past calls with the decisions under a changed rule or mode.',
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
        summary: 'Revoke a saved rule.',
        tags: ['rules'],
        params: RuleParams,
        response: { 200: schemaRef('Rule'), ...problemResponses('NOT_FOUND') }
      }
    },
    async ({ params }) => calls.revokeRule(params.id)
  )
}
