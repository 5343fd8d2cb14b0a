// Routes for servers: they enroll, and send their journals.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import type { HubAccess } from '../access.ts'
import type { Database } from '../database/database.ts'
import { readPosition, storeBatch } from '../ingest.ts'
import { Facts, JournalId, MAX_EVENT_LENGTH, SentEvents } from './schemas.ts'

/** A batch of large events, as JSON. */
const MAX_BATCH_BYTES = 2 * MAX_EVENT_LENGTH

export const uplinkRoutes: FastifyPluginAsyncTypebox<{ access: HubAccess; database: Database }> = async (
  app,
  { access, database }
) => {
  app.post(
    '/uplink/servers',
    { config: { role: 'code' }, schema: { body: Type.Object({ facts: Facts }, { additionalProperties: false }) } },
    async ({ body, headers }, reply) => {
      const code = headers.authorization!.split(' ')[1]!
      return reply.code(201).send(await access.enroll(code, body.facts))
    }
  )

  app.get(
    '/uplink/journals/:journal_id',
    { config: { role: 'server' }, schema: { params: Type.Object({ journal_id: JournalId }) } },
    async ({ params, principal }) => readPosition(database, principal.id, params.journal_id)
  )

  app.post(
    '/uplink/events',
    { config: { role: 'server' }, bodyLimit: MAX_BATCH_BYTES, schema: { body: SentEvents } },
    async ({ body, principal }) => {
      if (body.events.some(({ seq }, i) => i > 0 && seq <= body.events[i - 1]!.seq))
        throw new ToolError('INVALID_PARAMS', 'The events are not in ascending order.')
      return storeBatch(database, principal.id, body)
    }
  )
}
