// Routes for saved rules.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { RuleEffect, RuleMatch, RuleScope } from '../config/schema.ts'
import type { Calls } from '../engine/calls.ts'
import { problemResponses, schemaRef } from './schema.ts'

const NewRule = Type.Object(
  {
    effect: RuleEffect,
    match: RuleMatch,
    scope: RuleScope,
    session_id: Type.Optional(Type.String({ description: 'Needed with scope session.' })),
    workspace: Type.Optional(Type.String({ description: 'Name of the workspace, with scope session or workspace.' })),
    reason: Type.Optional(Type.String({ maxLength: 1_024 })),
    expires_at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()]))
  },
  { additionalProperties: false, title: 'NewRule' }
)

export const ruleRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.get(
    '/rules',
    {
      schema: {
        operationId: 'listRules',
        summary: 'Remembered rules, oldest first.',
        tags: ['rules'],
        response: { 200: Type.Object({ rules: Type.Array(schemaRef('Rule')) }), ...problemResponses() }
      }
    },
    async ({ caller }) => ({ rules: calls.rules(caller) })
  )

  app.post(
    '/rules',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'addRule',
        summary: 'Remember a rule.',
        tags: ['rules'],
        body: NewRule,
        response: { 201: schemaRef('Rule'), ...problemResponses('INVALID_PARAMS') }
      }
    },
    async ({ body, caller }, reply) => reply.code(201).send(await calls.addRule(body, caller))
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
