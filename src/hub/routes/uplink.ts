// Routes for servers: they enroll, and send their journals.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  DecisionRefusal,
  Enrolment,
  JournalParams,
  MAX_EVENT_LENGTH,
  RefusedDecisionParams,
  RulesReport,
  UplinkBatch,
  WaitingCalls
} from '../../protocol/uplink.ts'
import type { HubAccess } from '../access.ts'
import type { Database } from '../database/database.ts'
import { streamDecisions } from '../decision-stream.ts'
import { recordRefusal } from '../decisions.ts'
import { enrollServer } from '../enrolment.ts'
import { readPosition, storeBatch } from '../ingest.ts'
import type { Relay } from '../relay.ts'
import { type RuleSets, reportRules, streamRuleSets } from '../rule-sets.ts'
import { sendEventStream } from '../sse-reply.ts'
import { storeWaiting } from '../waiting-reports.ts'

/** A batch of large events, as JSON. */
const MAX_BATCH_BYTES = 2 * MAX_EVENT_LENGTH

interface Services {
  access: HubAccess
  database: Database
  /** Wakes for decisions. */
  relay: Relay
  ruleSets: RuleSets
  /** Aborts when the hub stops. */
  closing: AbortSignal
}

export const uplinkRoutes: FastifyPluginAsyncTypebox<Services> = async (
  app,
  { access, database, relay, ruleSets, closing }
) => {
  app.post(
    '/uplink/servers',
    {
      config: { role: 'code' },
      schema: { body: Enrolment }
    },
    async ({ body, headers }, reply) => {
      const code = headers.authorization!.split(' ')[1]!
      const enrolled = await enrollServer(access, code, body.facts)
      return reply.code(201).send({ ...enrolled, ...(ruleSets.key !== undefined && { rules_key: ruleSets.key }) })
    }
  )

  app.get(
    '/uplink/journals/:journal_id',
    { config: { role: 'server' }, schema: { params: JournalParams } },
    async ({ params, principal }) => readPosition(database, principal.id, params.journal_id)
  )

  app.post(
    '/uplink/events',
    { config: { role: 'server' }, bodyLimit: MAX_BATCH_BYTES, schema: { body: UplinkBatch } },
    async ({ body, principal }) => storeBatch(database, principal.id, body)
  )

  app.put(
    '/uplink/waiting',
    { config: { role: 'server' }, bodyLimit: MAX_BATCH_BYTES, schema: { body: WaitingCalls } },
    async ({ body, principal }, reply) => {
      await storeWaiting(database, principal.id, body)
      return reply.code(204).send()
    }
  )

  app.get('/uplink/decisions', { config: { role: 'server' } }, async ({ principal }, reply) =>
    sendEventStream(reply, closing, async (raw, signal) => {
      const decisions = streamDecisions(raw, { database, relay, serverId: principal.id, signal })
      await Promise.all([decisions, streamRuleSets(raw, ruleSets, signal)])
    })
  )

  app.put(
    '/uplink/rules',
    { config: { role: 'server' }, schema: { body: RulesReport } },
    async ({ body, principal }, reply) => {
      await reportRules(database, principal.id, body)
      return reply.code(204).send()
    }
  )

  app.post(
    '/uplink/decisions/:decision_id/refusal',
    {
      config: { role: 'server' },
      schema: {
        params: RefusedDecisionParams,
        body: DecisionRefusal
      }
    },
    async ({ params, body, principal }, reply) => {
      await recordRefusal(database, principal.id, params.decision_id, body.reason.replaceAll('\0', '\uFFFD'))
      return reply.code(204).send()
    }
  )
}
