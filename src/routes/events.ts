// The event stream over HTTP.
import '@fastify/sse'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ToolError } from '../errors.ts'
import { EVENT_TYPES, EVENTS, type EventType } from '../events/events.ts'
import type { Streams } from '../events/streams.ts'
import { problems } from './schema.ts'
import { openStream } from './stream.ts'

const Seq = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const EventsQuery = Type.Object(
  {
    session_id: Type.Optional(Type.String({ description: 'Only events of this session.' })),
    workspace: Type.Optional(Type.String({ description: 'Only events of this workspace.' })),
    types: Type.Optional(
      Type.String({ description: `Only these types, separated by commas: ${EVENT_TYPES.join(', ')}.` })
    ),
    tool_call_id: Type.Optional(Type.String({ description: 'Only events of this call.' })),
    after: Type.Optional(
      Type.Integer({ ...Seq, description: 'Resume after this seq; Last-Event-ID does the same and wins.' })
    )
  },
  { additionalProperties: false }
)

export const eventRoutes: FastifyPluginAsyncTypebox<{ streams: Streams }> = async (app, { streams }) => {
  app.get(
    '/events',
    {
      sse: 'only',
      schema: {
        operationId: 'followEvents',
        summary: 'Follow what happens; resume with Last-Event-ID or after.',
        description: Object.entries(EVENTS)
          .map(([type, { description }]) => `${type}: ${description}`)
          .join('\n'),
        tags: ['events'],
        querystring: EventsQuery,
        headers: Type.Object({ 'last-event-id': Type.Optional(Seq) }),
        response: {
          200: {
            description: 'Frames of id, event and one data line of JSON (Event).',
            content: { 'text/event-stream': { schema: Type.String() } }
          },
          ...problems('INVALID_PARAMS')
        }
      }
    },
    async ({ query, headers }, reply) => {
      const { types, after, ...filter } = query
      const wanted = types === undefined ? undefined : typesOf(types)
      return openStream(streams, reply, {
        after: headers['last-event-id'] ?? after,
        filter: { ...filter, ...(wanted && { types: wanted }) }
      })
    }
  )
}

function typesOf(text: string): EventType[] {
  const types = text.split(',').map(type => type.trim())
  const unknown = types.find(type => !(EVENT_TYPES as string[]).includes(type))
  if (unknown === undefined) return types as EventType[]
  throw new ToolError('INVALID_PARAMS', `There is no event type ${JSON.stringify(unknown.slice(0, 60))}.`, {
    errors: [{ pointer: '/types', message: `must be of: ${EVENT_TYPES.join(', ')}`, in: 'query' }]
  })
}
