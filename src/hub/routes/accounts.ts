// Routes for accounts of the hub itself.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AccountParams, NewAccount } from '../../protocol/hub.ts'
import type { HubAccess } from '../access.ts'
import type { Database } from '../database/database.ts'
import { addAccount, listAccounts, removeAccount } from '../people/accounts.ts'

interface Services {
  access: HubAccess
  database: Database
}

export const accountRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { access, database }) => {
  app.get('/accounts', { config: { role: 'admin' } }, async () => ({ accounts: await listAccounts(database) }))

  app.post(
    '/accounts',
    {
      config: { role: 'admin' },
      schema: {
        body: NewAccount
      }
    },
    async ({ body, principal }, reply) => {
      const account = await access.change(db => addAccount(db, { ...body, madeBy: principal.name }))
      return reply.code(201).header('cache-control', 'no-store').send(account)
    }
  )

  app.delete(
    '/accounts/:name',
    { config: { role: 'admin' }, schema: { params: AccountParams } },
    async ({ params }, reply) => {
      await access.change(db => removeAccount(db, params.name))
      return reply.code(204).send()
    }
  )
}
