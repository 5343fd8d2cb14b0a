// Route for the event stream.
import type { IncomingHttpHeaders } from 'node:http'
import '@fastify/sse'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FrontEndRegistry } from '../engine/editors/front-end-registry.ts'
import { ToolError } from '../errors.ts'
import type { Streams } from '../events/event-streams.ts'
import { parseStreamPosition } from '../events/frame.ts'
import type { Notifier } from '../notify/notifier.ts'
import { EVENT_TYPES, EVENTS, type EventType } from '../protocol/events.ts'
import { EventsHeaders, EventsQuery } from '../protocol/events-query.ts'
import { FRONT_END_EFFECTS, type FrontEndEffect } from '../protocol/front-end.ts'
import { eventStreamContent } from '../protocol/response-content.ts'
import { acceptsStream, openEventStream, visibleEvents } from './http/sse-reply.ts'
import { problemResponses } from './schema.ts'
import { eventFormat, type ToolsetFormatter } from './toolset-format.ts'

const EFFECTS = Object.keys(FRONT_END_EFFECTS) as FrontEndEffect[]
interface Services {
  streams: Streams
  frontEnds: FrontEndRegistry
  notifier: Pick<Notifier, 'watchers'>
  catalog: Pick<ToolsetFormatter, 'eventFormatter'>
}

export const eventRoutes: FastifyPluginAsyncTypebox<Services> = async (
  app,
  { streams, frontEnds, notifier, catalog }
) => {
  app.get(
    '/events',
    {
      sse: 'manual',
      schema: {
        operationId: 'followEvents',
        summary: 'Stream events. To resume after an event, send Last-Event-ID or the query param after.',
        description: Object.entries(EVENTS)
          .map(([type, { description }]) => `${type}: ${description}`)
          .join('\n'),
        tags: ['events'],
        querystring: EventsQuery,
        headers: EventsHeaders,
        response: {
          200: {
            description: 'Frames of id, event and one data line of JSON (Event).',
            content: eventStreamContent
          },
          ...problemResponses()
        }
      }
    },
    async ({ query, headers, caller }, reply) => {
      assertAcceptsStream(headers)
      const { types, effects, toolset, client_id = caller.client, after, ...filter } = query
      const format = eventFormat(catalog, toolset)
      const wanted = types === undefined ? undefined : parseNames(types, EVENT_TYPES, 'types', 'event type')
      const offered = effects === undefined ? [] : parseNames(effects, EFFECTS, 'effects', 'effect')
      if (offered.length > 0 && !caller.rights.has('approve'))
        throw new ToolError('FORBIDDEN', 'This token cannot act as a front end. Use a token with the right to approve.')
      const hears = { ...filter, ...visibleEvents(caller, wanted) }
      if (offered.length > 0) assertReceivesDelegations(hears.types)
      const resume = headers['last-event-id'] ?? after
      reply.reserveEventStream()
      const leave = frontEnds.connect({ client_id, client: caller.client, effects: offered, filter: hears })
      const unwatch = caller.rights.has('approve') ? notifier.watchers.connect(hears) : () => {}
      return openEventStream(streams, reply, {
        after: resume === undefined ? undefined : parseStreamPosition(resume),
        filter: hears,
        format
      }).finally(() => {
        leave()
        unwatch()
      })
    }
  )
}

function assertAcceptsStream(headers: IncomingHttpHeaders) {
  if (acceptsStream(headers)) return
  throw new ToolError(
    'INVALID_PARAMS',
    'Events are sent only as text/event-stream, but the Accept header does not allow that type.',
    {
      errors: [{ pointer: '/accept', message: 'must allow text/event-stream', in: 'header' }]
    }
  )
}

/** A front end with effects must receive delegation events. */
function assertReceivesDelegations(types: readonly EventType[] | undefined) {
  if (types === undefined || types.includes('tool.delegate')) return
  throw new ToolError(
    'INVALID_PARAMS',
    'A front end with effects must receive the event type tool.delegate. Add it to the query param types.',
    {
      errors: [{ pointer: '/types', message: 'must include tool.delegate', in: 'query' }]
    }
  )
}

/** Parses the names in a query field; `kind` is the noun for them in errors. */
function parseNames<T extends string>(text: string, known: readonly T[], field: string, kind: string): T[] {
  const names = text.split(',').map(name => name.trim())
  const unknown = names.find(name => !(known as readonly string[]).includes(name))
  if (unknown === undefined) return names as T[]
  throw new ToolError('INVALID_PARAMS', `There is no ${kind} ${JSON.stringify(unknown.slice(0, 60))}.`, {
    errors: [{ pointer: `/${field}`, message: `must be one of: ${known.join(', ')}`, in: 'query' }],
    unknown,
    known
  })
}
