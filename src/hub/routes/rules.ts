// Routes for the rules that people save at the hub for all its servers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { NewRuleSet } from '../../protocol/hub.ts'
import { RuleSetAnswer, VersionList } from '../../protocol/hub-answers.ts'
import { MAX_RULE_SET_BYTES } from '../../uplink/rule-set.ts'
import type { RuleSets } from '../rule-sets.ts'
import { describeOperation } from './operation.ts'

export const hubRuleRoutes: FastifyPluginAsyncTypebox<{ ruleSets: RuleSets }> = async (app, { ruleSets }) => {
  app.get(
    '/rules',
    { schema: describeOperation(['showRules', 'Show the newest rules of the hub.', 'rules'], 200, RuleSetAnswer) },
    async () => ruleSets.show()
  )

  app.get(
    '/rules/versions',
    {
      schema: describeOperation(
        ['listRuleVersions', 'List the newest 20 versions of the rules, newest first.', 'rules'],
        200,
        VersionList
      )
    },
    async () => ({ versions: await ruleSets.listVersions() })
  )

  app.put(
    '/rules',
    {
      config: { role: 'admin' },
      bodyLimit: 2 * MAX_RULE_SET_BYTES,
      schema: {
        body: NewRuleSet,
        ...describeOperation(
          ['saveRules', 'Replace the rules of the hub. Servers receive them immediately.', 'rules'],
          200,
          RuleSetAnswer,
          'CONFLICT'
        )
      }
    },
    async ({ body, principal }) => ruleSets.save(body, principal)
  )
}
