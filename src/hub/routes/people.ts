// Routes for people: what the hub has of all servers, and the enrolment of more.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import type { ErrorCode } from '../../protocol/error-codes.ts'
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
import {
  CallWithEvents,
  DecisionAnswer,
  EnrolmentCode,
  HubEventFrame,
  ServerList,
  StoredCallPage,
  WaitingCallList
} from '../../protocol/hub-answers.ts'
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
import { describeOperation, describeStream } from './operation.ts'

const DECISION_ERRORS = ['NOT_FOUND', 'CONFLICT', 'PREVIEW_CHANGED'] as const satisfies ErrorCode[]

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
        body: NewEnrolment,
        ...describeOperation(
          ['createEnrolment', 'Create a code that enrolls one server.', 'servers'],
          201,
          EnrolmentCode
        )
      }
    },
    async ({ body, principal }, reply) => reply.code(201).send(await createCode(access, principal.name, body.name))
  )

  app.get(
    '/servers',
    {
      schema: describeOperation(
        ['listServers', 'List servers, with their state and backlog.', 'servers'],
        200,
        ServerList
      )
    },
    async () => ({ servers: (await listServers(database)).map(describeServer) })
  )

  app.delete(
    '/servers/:server_id',
    {
      schema: {
        params: ServerParams,
        ...describeOperation(
          ['revokeServer', 'Revoke the token of a server. Its data remains.', 'servers'],
          204,
          undefined,
          'NOT_FOUND'
        )
      }
    },
    async ({ params }, reply) => {
      await revokeServer(access, params.server_id)
      return reply.code(204).send()
    }
  )

  app.get(
    '/approvals',
    {
      schema: describeOperation(
        [
          'listApprovals',
          'List up to 1,000 calls that wait for approval, oldest first, with decisions that were sent.',
          'approvals'
        ],
        200,
        WaitingCallList
      )
    },
    async () => ({
      approvals: (await listWaitingCalls(database)).map(({ call, decision }) => ({ ...call, decision }))
    })
  )

  app.get(
    '/calls',
    {
      schema: {
        querystring: CallsQuery,
        ...describeOperation(['listCalls', 'Search calls of all servers, newest first.', 'calls'], 200, StoredCallPage)
      }
    },
    async ({ query }) => {
      const calls = await listCalls(database, query)
      return { calls, next: calls.length === query.limit ? calls.at(-1)!.n : null }
    }
  )

  app.get(
    '/servers/:server_id/calls/:tool_call_id',
    {
      schema: {
        params: ServerCallParams,
        ...describeOperation(
          ['getCall', 'Read a call with up to 1,000 of its events, or 8 MiB.', 'calls'],
          200,
          CallWithEvents,
          'NOT_FOUND'
        )
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
        querystring: HubEventsQuery,
        headers: HubEventsHeaders,
        ...describeOperation(
          ['followEvents', 'Follow the events of all servers.', 'events'],
          200,
          describeStream(HubEventFrame)
        )
      }
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
  app.post(
    '/approve',
    {
      config: { role: 'approver' },
      schema: {
        body: Decision,
        ...describeOperation(
          ['approve', 'Approve a call. Its server checks the decision.', 'approvals'],
          202,
          DecisionAnswer,
          ...DECISION_ERRORS
        )
      }
    },
    decideBy('approve')
  )
  app.post(
    '/reject',
    {
      config: { role: 'approver' },
      schema: {
        body: Decision,
        ...describeOperation(
          ['reject', 'Reject a call. Its server checks the decision.', 'approvals'],
          202,
          DecisionAnswer,
          ...DECISION_ERRORS
        )
      }
    },
    decideBy('reject')
  )

  app.get(
    '/decisions/:decision_id',
    {
      schema: {
        params: DecisionParams,
        ...describeOperation(
          ['getDecision', 'Read what came of a decision or a cancel.', 'approvals'],
          200,
          DecisionAnswer,
          'NOT_FOUND'
        )
      }
    },
    async ({ params }) => readDecision(database, params.decision_id)
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
