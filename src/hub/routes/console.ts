// Routes for the console, which speaks to a hub as to a server: its calls are those of all servers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ToolError } from '../../errors.ts'
import { ConsoleApproval, ConsoleCallParams, ConsoleEventsHeaders, ConsoleRejection } from '../../protocol/hub.ts'
import { type HubEvent, latestEvent, readCall } from '../archive.ts'
import { parseConsoleId } from '../console/call-ids.ts'
import { viewCall, viewWaitingCall } from '../console/call-view.ts'
import { viewEvent } from '../console/event-view.ts'
import type { Database } from '../database/database.ts'
import { decide } from '../decisions.ts'
import { streamEvents } from '../event-stream.ts'
import type { Relay } from '../relay.ts'
import { sendEventStream } from '../sse-reply.ts'
import { listWaitingCalls, type WaitingCallRow } from '../waiting-calls.ts'

/** In place of the id of a journal: the events of a hub have one order. */
const HUB_JOURNAL = 'hub'

interface Services {
  database: Database
  relay: Relay
  /** Aborts when the hub stops. */
  closing: AbortSignal
}

export const hubConsoleRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { database, relay, closing }) => {
  app.get('/console/state', async () => {
    // Read first: events since then come by the stream, and are harmless where the list has them already.
    const head = await latestEvent(database)
    const waiting = await listWaitingCalls(database)
    return {
      instance: HUB_JOURNAL,
      journal_id: HUB_JOURNAL,
      head,
      pending: waiting.map(viewWaiting),
      running: [],
      jobs: [],
      delegations: [],
      sessions: {}
    }
  })

  app.get('/console/modes', async () => ({ default: 'ask', modes: [] }))

  app.get(
    '/console/events',
    {
      schema: {
        headers: ConsoleEventsHeaders
      }
    },
    async ({ headers }, reply) => {
      const latest = await latestEvent(database)
      const asked = Number(headers['last-event-id']?.replace('hub-', '') ?? latest)
      return sendEventStream(reply, closing, async (raw, signal) => {
        // The database was restored: what is known of it is of another time.
        if (asked > latest) raw.write(formatGap(asked, latest))
        await streamEvents(raw, { database, relay, after: Math.min(asked, latest), signal, format: formatEvent })
      })
    }
  )

  app.get('/console/calls/:id', { schema: { params: ConsoleCallParams } }, async ({ params }) => {
    const { server_id, tool_call_id } = parseConsoleId(params.id)
    const { events, truncated: _, ...row } = await readCall(database, server_id, tool_call_id)
    return viewCall(
      row,
      events.map(json => JSON.parse(json) as Record<string, unknown>)
    )
  })

  app.get('/console/calls/:id/preview', { schema: { params: ConsoleCallParams } }, async () => {
    throw new ToolError(
      'INVALID_PARAMS',
      'Only the server of the call has the whole preview. Approve the call at that server, or reject it here.'
    )
  })

  app.post(
    '/console/calls/:id/approve',
    {
      config: { role: 'approver' },
      schema: { params: ConsoleCallParams, body: ConsoleApproval }
    },
    async ({ params, body: { digest, ...message }, principal: { id, name } }, reply) => {
      const call = parseConsoleId(params.id)
      const decision = await decide(database, { ...call, digest, verdict: 'approve', message }, { id, name })
      return reply.code(202).send({ decision })
    }
  )

  app.post(
    '/console/calls/:id/reject',
    {
      config: { role: 'approver' },
      schema: { params: ConsoleCallParams, body: ConsoleRejection }
    },
    async ({ params, body: message, principal: { id, name } }, reply) => {
      const call = parseConsoleId(params.id)
      // Whatever it would do by now: it is not done.
      const { digest } = await readCall(database, call.server_id, call.tool_call_id)
      const decision = await decide(
        database,
        { ...call, digest: digest ?? '', verdict: 'reject', message },
        { id, name }
      )
      return reply.code(202).send({ decision })
    }
  )
}

function viewWaiting({ call, began, decision }: WaitingCallRow) {
  const shown = viewWaitingCall(call, began ?? {})
  return { ...shown, ...(began ? {} : { truncated: true }), ...(decision && { decision }) }
}

const formatEvent = (event: HubEvent) => JSON.stringify(viewEvent(event))

const formatGap = (asked: number, latest: number) =>
  `event: stream.gap\ndata: ${JSON.stringify({ type: 'stream.gap', seq: latest, time: new Date().toISOString(), reason: 'ahead', asked, oldest: 1 })}\n\n`
