// Routes for people: what the hub has of all servers, and the enrolment of more.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { HubAccess } from '../access.ts'
import { type HubServer, listCalls, listServers, listWaiting, readCall, SILENT_AFTER_MS } from '../archive.ts'
import type { Database } from '../database/database.ts'
import { streamEvents } from '../event-stream.ts'
import type { Relay } from '../relay.ts'
import { CallsQuery } from './schemas.ts'

const MAX_WAITING = 1_000

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
      schema: {
        body: Type.Object(
          { name: Type.Optional(Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\u0000]+$' })) },
          { additionalProperties: false }
        )
      }
    },
    async ({ body, principal }, reply) => reply.code(201).send(await access.createCode(principal.name, body.name))
  )

  app.get('/servers', async () => ({ servers: (await listServers(database)).map(describeServer) }))

  app.delete(
    '/servers/:server_id',
    { schema: { params: Type.Object({ server_id: Type.String({ maxLength: 128 }) }) } },
    async ({ params }, reply) => {
      await access.revoke(params.server_id)
      return reply.code(204).send()
    }
  )

  app.get('/approvals', async () => ({ approvals: await listWaiting(database, MAX_WAITING) }))

  app.get('/calls', { schema: { querystring: CallsQuery } }, async ({ query }) => {
    const calls = await listCalls(database, query)
    return { calls, next: calls.length === query.limit ? calls.at(-1)!.n : null }
  })

  app.get(
    '/servers/:server_id/calls/:tool_call_id',
    {
      schema: {
        params: Type.Object({
          server_id: Type.String({ maxLength: 128 }),
          tool_call_id: Type.String({ maxLength: 128 })
        })
      }
    },
    async ({ params }) => {
      const { events, ...call } = await readCall(database, params.server_id, params.tool_call_id)
      return { ...call, events: events.map(json => JSON.parse(json) as unknown) }
    }
  )

  app.get(
    '/events',
    {
      schema: {
        querystring: Type.Object(
          { after: Type.Optional(Type.Integer({ minimum: 0 })) },
          { additionalProperties: false }
        ),
        headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ pattern: '^\\d{1,15}$' })) })
      }
    },
    async ({ query, headers }, reply) => {
      const last = headers['last-event-id']
      const gone = new AbortController()
      const { raw } = reply.hijack()
      raw.once('close', () => gone.abort())
      raw.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no'
      })
      raw.flushHeaders()
      await streamEvents(raw, {
        database,
        relay,
        after: last === undefined ? query.after : Number(last),
        signal: AbortSignal.any([gone.signal, closing])
      }).catch(error => {
        app.log.warn({ err: error }, 'a stream of events ended')
        raw.destroy()
      })
    }
  )
}

/** Connected: it was heard of lately. */
function describeServer({ facts, stored_seq, head_seq, ...server }: HubServer) {
  const { seen_at, revoked_at } = server
  const isSilent = seen_at === null || Date.now() - seen_at.getTime() > SILENT_AFTER_MS
  return {
    ...server,
    ...(JSON.parse(facts) as object),
    state: revoked_at ? 'revoked' : isSilent ? 'silent' : 'connected',
    /** Events that are not here yet. */
    behind: Math.max(0, (head_seq ?? 0) - (stored_seq ?? 0))
  }
}
