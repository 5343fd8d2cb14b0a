// The request that follows events.
import { Type } from 'typebox'
import { EVENT_TYPES } from './events.ts'
import { FRONT_END_EFFECTS } from './front-end.ts'
import { ClientIdParam } from './request-params.ts'

/** The id of an event: the id of the journal and the seq, or the seq alone. */
const EVENT_ID_PATTERN = '^([0-9a-f]{12}-)?[0-9]{1,16}$'

const EventId = Type.String({
  pattern: EVENT_ID_PATTERN,
  description:
    'Event id, `<journal_id>-<seq>`. With only a seq, the server cannot check that it belongs to this journal.'
})
export const EventsHeaders = Type.Object({ 'last-event-id': Type.Optional(EventId) })

export const EventsQuery = Type.Object(
  {
    session_id: Type.Optional(Type.String({ description: 'Only events of this session.' })),
    workspace: Type.Optional(Type.String({ description: 'Only events of this workspace.' })),
    types: Type.Optional(
      Type.String({ description: `Only these types, separated by commas: ${EVENT_TYPES.join(', ')}.` })
    ),
    tool_call_id: Type.Optional(Type.String({ description: 'Only events of this call.' })),
    toolset: Type.Optional(
      Type.String({ maxLength: 64, description: 'Toolset whose tool and param names the events use.' })
    ),
    effects: Type.Optional(
      Type.String({
        description: `Effects that this front end can perform, separated by commas: ${Object.keys(FRONT_END_EFFECTS).join(', ')}. Requires the right to approve.`
      })
    ),
    client_id: Type.Optional(ClientIdParam),
    after: Type.Optional(
      Type.String({
        pattern: EVENT_ID_PATTERN,
        description: 'Resume after the event with this id or seq. The header Last-Event-ID takes precedence.'
      })
    )
  },
  { additionalProperties: false }
)
