// Routes for the server: health, state, capabilities, statistics.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { restrictedOwner } from '../engine/call-owners.ts'
import type { Calls } from '../engine/calls.ts'
import type { Delegations } from '../engine/editors/delegations.ts'
import type { Jobs } from '../engine/jobs/jobs.ts'
import { toListedJob } from '../engine/jobs/listed-jobs.ts'
import type { Streams } from '../events/event-streams.ts'
import type { Journal } from '../events/journal.ts'
import type { Metrics } from '../events/metrics.ts'
import type { Notifier } from '../notify/notifier.ts'
import { plainTextContent } from '../protocol/response-content.ts'
import { Capabilities, Health, HealthQuery, MAX_STATE_SESSIONS, StatePage, Stats } from '../protocol/server.ts'
import type { ProofRequest } from '../server/token-proof.ts'
import { sendLists } from './calls.ts'
import { problemResponses } from './schema.ts'

export interface ServerInfo {
  instance: string
  version: string
  protocol: number
  /** Proves to a client that asked at `host` that the server knows its token; undefined for another token. */
  prove(host: string, request: ProofRequest): string | undefined
  capabilities(): Promise<Record<string, unknown>>
}

export interface ServerServices {
  about: ServerInfo
  calls: Calls
  delegations: Delegations
  jobs: Jobs
  journal: Journal
  metrics: Metrics
  notifier: Pick<Notifier, 'watchers'>
  streams: Streams
}

export const serverRoutes: FastifyPluginAsyncTypebox<ServerServices> = async (
  app,
  { about, calls, delegations, jobs, journal, metrics, notifier, streams }
) => {
  app.get(
    '/health',
    {
      config: { open: true },
      schema: {
        operationId: 'health',
        summary: 'Health check. Returns the id of the server process. Needs no token.',
        tags: ['server'],
        security: [],
        querystring: HealthQuery,
        response: { 200: Health, ...problemResponses() }
      }
    },
    async ({ query: { challenge, key }, headers: { host } }) => {
      const { instance, version, protocol } = about
      const proof =
        challenge !== undefined && key !== undefined && host !== undefined
          ? about.prove(host, { challenge, key })
          : undefined
      return { instance, version, protocol, ...(proof !== undefined && { proof }) }
    }
  )

  app.get(
    '/state',
    {
      schema: {
        operationId: 'state',
        summary: 'Get the current state: waiting and running calls, jobs and sessions.',
        tags: ['server'],
        response: { 200: StatePage, ...problemResponses() }
      }
    },
    async ({ caller }, reply) => {
      if (caller.rights.has('approve')) notifier.watchers.noteAsked()
      const owner = restrictedOwner(caller)
      const busy = Object.entries(calls.sessionStates(owner))
      const sessions = busy.slice(0, MAX_STATE_SESSIONS)
      const [pending, running] = [calls.listPending({}, owner), calls.listRunning(owner)]
      const state = {
        instance: about.instance,
        journal_id: journal.id,
        head: journal.head,
        ...(pending.cursor !== null && { pending_cursor: pending.cursor }),
        ...(running.cursor !== null && { running_truncated: true }),
        jobs: jobs
          .running()
          .filter(({ task_id }) => calls.canSee(task_id, caller))
          .map(toListedJob),
        delegations: owner === undefined ? delegations.listOpen().map(({ delegation_id }) => delegation_id) : [],
        sessions: Object.fromEntries(sessions),
        ...(sessions.length < busy.length && { sessions_truncated: true })
      }
      return sendLists(reply, state, { pending: pending.calls, running: running.calls })
    }
  )

  app.get(
    '/capabilities',
    {
      schema: {
        operationId: 'capabilities',
        summary: 'Get the capabilities and limits of the server.',
        tags: ['server'],
        response: { 200: Capabilities, ...problemResponses() }
      }
    },
    async () => about.capabilities()
  )

  app.get(
    '/stats',
    {
      schema: {
        operationId: 'stats',
        summary: 'Get statistics since the server started, by tool and by minute, and its memory and CPU usage.',
        tags: ['server'],
        response: { 200: Stats, ...problemResponses() }
      }
    },
    async () => ({
      since: metrics.since,
      tools: metrics.stats(),
      server: {
        uptime_ms: Math.round(process.uptime() * 1_000),
        rss_bytes: process.memoryUsage.rss(),
        streams: streams.readers
      },
      approval_wait: metrics.approvalWait(),
      minutes: metrics.minutes()
    })
  )

  app.get(
    '/metrics',
    {
      schema: {
        operationId: 'metrics',
        summary: 'Get metrics for Prometheus.',
        tags: ['server'],
        response: {
          200: { description: 'Metrics in the text format of Prometheus.', content: plainTextContent },
          ...problemResponses()
        }
      }
    },
    async (_request, reply) => {
      const text = await metrics.prometheus({
        toolgate_pending_approvals: { help: 'Calls that wait for approval.', value: calls.pending().length },
        toolgate_running_calls: { help: 'Queued and running calls.', value: calls.running().length },
        toolgate_running_jobs: { help: 'Background commands.', value: jobs.running().length },
        toolgate_event_readers: { help: 'Open event streams.', value: streams.readers },
        toolgate_resident_bytes: { help: 'Resident memory of the server.', value: process.memoryUsage.rss() }
      })
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(text)
    }
  )
}
