// Routes for accounts of the hub itself.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AccountParams, NewAccount } from '../../protocol/hub.ts'
import { AccountList, AddedAccount } from '../../protocol/hub-answers.ts'
import type { HubAccess } from '../access.ts'
import type { Database } from '../database/database.ts'
import { addAccount, listAccounts, removeAccount } from '../people/accounts.ts'
import { describeOperation } from './operation.ts'

interface Services {
  access: HubAccess
  database: Database
}

export const accountRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { access, database }) => {
  app.get(
    '/accounts',
    {
      config: { role: 'admin' },
      schema: describeOperation(['listAccounts', 'List the accounts of the hub.', 'accounts'], 200, AccountList)
    },
    async () => ({ accounts: await listAccounts(database) })
  )

  app.post(
    '/accounts',
    {
      config: { role: 'admin' },
      schema: {
        body: NewAccount,
        ...describeOperation(['addAccount', 'Add an account.', 'accounts'], 201, AddedAccount, 'CONFLICT')
      }
    },
    async ({ body, principal }, reply) => {
      const account = await access.change(db => addAccount(db, { ...body, madeBy: principal.name }))
      return reply.code(201).header('cache-control', 'no-store').send(account)
    }
  )

  app.delete(
    '/accounts/:name',
    {
      config: { role: 'admin' },
      schema: {
        params: AccountParams,
        ...describeOperation(
          ['removeAccount', 'Remove an account. Its token and its sessions end.', 'accounts'],
          204,
          undefined,
          'NOT_FOUND'
        )
      }
    },
    async ({ params }, reply) => {
      await access.change(db => removeAccount(db, params.name))
      return reply.code(204).send()
    }
  )
}
