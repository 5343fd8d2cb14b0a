// Route that shows whether the hub and its database work.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { HubHealth } from '../../protocol/hub-answers.ts'
import type { Database } from '../database/database.ts'
import type { OidcSignIn } from '../people/oidc.ts'
import { describeOperation } from './operation.ts'

interface Services {
  database: Database
  oidc: OidcSignIn | undefined
}

export const healthRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { database, oidc }) => {
  app.get(
    '/health',
    {
      config: { open: true },
      schema: describeOperation(['health', 'Check the hub and its database. Public.', 'hub'], 200, HubHealth)
    },
    async () => {
      await database.query('SELECT 1')
      return { status: 'ok', hub: { sign_in: oidc ? ['oidc', 'token'] : ['token'] } }
    }
  )
}
