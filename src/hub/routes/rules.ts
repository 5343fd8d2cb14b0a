// Routes for the rules that people save at the hub for all its servers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { NewRuleSet } from '../../protocol/hub.ts'
import { MAX_RULE_SET_BYTES } from '../../uplink/rule-set.ts'
import type { RuleSets } from '../rule-sets.ts'

export const hubRuleRoutes: FastifyPluginAsyncTypebox<{ ruleSets: RuleSets }> = async (app, { ruleSets }) => {
  app.get('/rules', async () => ruleSets.show())

  app.get('/rules/versions', async () => ({ versions: await ruleSets.listVersions() }))

  app.put(
    '/rules',
    { config: { role: 'admin' }, bodyLimit: 2 * MAX_RULE_SET_BYTES, schema: { body: NewRuleSet } },
    async ({ body, principal }) => ruleSets.save(body, principal)
  )
}
