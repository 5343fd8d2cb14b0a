// Routes for people: what the hub has of all servers, and the enrolment of more.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import {
  CallsQuery,
  Decision,
  DecisionParams,
  HubEventsHeaders,
  HubEventsQuery,
  NewEnrolment,
  ServerCallParams,
  ServerParams
} from '../../protocol/hub.ts'
import type { HubAccess } from '../access.ts'
import { type HubServer, listCalls, listServers, readCall, SILENT_AFTER_MS } from '../archive.ts'
import type { Database } from '../database/database.ts'
import { decide, readDecision } from '../decisions.ts'
import { createCode, revokeServer } from '../enrolment.ts'
import { streamEvents } from '../event-stream.ts'
import type { HubPrincipal } from '../principals.ts'
import type { Relay } from '../relay.ts'
import { sendEventStream } from '../sse-reply.ts'
import { listWaitingCalls } from '../waiting-calls.ts'

interface Services {
  access: HubAccess
  database: Database
  relay: Relay
  /** Aborts when the hub stops. */
  closing: AbortSignal
}

export const peopleRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { access, database, relay, closing }) => {
  app.post(
    '/enrolments',
    {
      schema: { body: NewEnrolment }
    },
    async ({ body, principal }, reply) => reply.code(201).send(await createCode(access, principal.name, body.name))
  )

  app.get('/servers', async () => ({ servers: (await listServers(database)).map(describeServer) }))

  app.delete('/servers/:server_id', { schema: { params: ServerParams } }, async ({ params }, reply) => {
    await revokeServer(access, params.server_id)
    return reply.code(204).send()
  })

  app.get('/approvals', async () => ({
    approvals: (await listWaitingCalls(database)).map(({ call, decision }) => ({ ...call, decision }))
  }))

  app.get('/calls', { schema: { querystring: CallsQuery } }, async ({ query }) => {
    const calls = await listCalls(database, query)
    return { calls, next: calls.length === query.limit ? calls.at(-1)!.n : null }
  })

  app.get(
    '/servers/:server_id/calls/:tool_call_id',
    {
      schema: { params: ServerCallParams }
    },
    async ({ params }) => {
      const { events, ...call } = await readCall(database, params.server_id, params.tool_call_id)
      return { ...call, events: events.map(json => JSON.parse(json) as unknown) }
    }
  )

  app.get(
    '/events',
    {
      schema: { querystring: HubEventsQuery, headers: HubEventsHeaders }
    },
    async ({ query, headers }, reply) => {
      const last = headers['last-event-id']
      const after = last === undefined ? query.after : Number(last)
      return sendEventStream(reply, closing, (raw, signal) => streamEvents(raw, { database, relay, after, signal }))
    }
  )

  const decideBy =
    (verdict: 'approve' | 'reject') =>
    async ({ body, principal }: { body: Static<typeof Decision>; principal: HubPrincipal }, reply: FastifyReply) => {
      const { server_id, tool_call_id, digest, ...message } = body
      const person = { id: principal.id, name: principal.name }
      return reply.code(202).send(await decide(database, { server_id, tool_call_id, digest, verdict, message }, person))
    }
  app.post('/approve', { config: { role: 'approver' }, schema: { body: Decision } }, decideBy('approve'))
  app.post('/reject', { config: { role: 'approver' }, schema: { body: Decision } }, decideBy('reject'))

  app.get('/decisions/:decision_id', { schema: { params: DecisionParams } }, async ({ params }) =>
    readDecision(database, params.decision_id)
  )
}

/** Connected: it was heard of lately. */
function describeServer({ facts, stored_seq, head_seq, rules_refused, ...server }: HubServer) {
  const { seen_at, revoked_at } = server
  const isSilent = seen_at === null || Date.now() - seen_at.getTime() > SILENT_AFTER_MS
  return {
    ...server,
    ...(JSON.parse(facts) as object),
    rules_refused: rules_refused === null ? null : (JSON.parse(rules_refused) as object),
    state: revoked_at ? 'revoked' : isSilent ? 'silent' : 'connected',
    /** Events that are not here yet. */
    behind: Math.max(0, (head_seq ?? 0) - (stored_seq ?? 0))
  }
}
