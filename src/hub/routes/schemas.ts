// Schemas of what travels between servers and the hub, and of what the hub lists.
import { type Static, Type } from 'typebox'
import { ConfiguredRule } from '../../protocol/rules.ts'

/** Maximum number of events in a batch, and of characters of one event. */
export const MAX_BATCH_EVENTS = 500
export const MAX_EVENT_LENGTH = 32 * 1024 * 1024

const Id = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\u0000]+$' })
const Seq = Type.Integer({ minimum: 0 })
export const JournalId = Type.String({ pattern: '^[0-9a-f]{12}$' })

export const Facts = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 256 }),
    version: Type.String({ maxLength: 64 }),
    roots: Type.Array(Type.String({ maxLength: 4_096 }), { maxItems: 256 })
  },
  { additionalProperties: false }
)

export const SentEvents = Type.Object(
  {
    journal_id: JournalId,
    head: Seq,
    events: Type.Array(
      Type.Object(
        {
          seq: Seq,
          type: Type.String({ pattern: '^[a-z][a-z_.]{0,63}$' }),
          time: Type.String({ format: 'date-time' }),
          tool_call_id: Type.Optional(Id),
          data: Type.String({ minLength: 2, maxLength: MAX_EVENT_LENGTH, description: 'JSON of the event.' })
        },
        { additionalProperties: false }
      ),
      { maxItems: MAX_BATCH_EVENTS, description: 'In ascending order.' }
    ),
    gap: Type.Optional(
      Type.Object(
        { after: Seq, until: Seq, reason: Type.String({ maxLength: 1_024 }) },
        { additionalProperties: false, description: 'Events that were dropped before they could be sent.' }
      )
    )
  },
  { additionalProperties: false }
)
export type SentEvents = Static<typeof SentEvents>

export const ReportedCalls = Type.Object(
  {
    journal_id: JournalId,
    head: Seq,
    calls: Type.Array(
      Type.Object(
        {
          tool_call_id: Id,
          time: Type.String({ format: 'date-time' }),
          data: Type.String({ minLength: 2, maxLength: MAX_EVENT_LENGTH, description: 'JSON of its event.' })
        },
        { additionalProperties: false }
      ),
      { maxItems: MAX_BATCH_EVENTS, description: 'Oldest first.' }
    )
  },
  { additionalProperties: false }
)

const Version = Type.Integer({ minimum: 1 })

export const RulesReport = Type.Object(
  {
    version: Type.Union([Version, Type.Null()], { description: 'The rule set that is in force at the server.' }),
    refused: Type.Union([
      Type.Object(
        { version: Type.Union([Version, Type.Null()]), reason: Type.String({ maxLength: 1_024 }) },
        { additionalProperties: false, description: 'The one that it has refused since.' }
      ),
      Type.Null()
    ])
  },
  { additionalProperties: false }
)
export type RulesReport = Static<typeof RulesReport>

export const NewRuleSet = Type.Object(
  {
    rules: Type.Array(ConfiguredRule, { maxItems: 1_000, description: 'All rules: they replace those before.' }),
    replaces: Type.Union([Version, Type.Null()], {
      description: 'The version that they are made from; null for the first set. Another one in force is a conflict.'
    }),
    key: Type.Optional(
      Type.String({ maxLength: 64, description: 'Key of this hub, if the last set was signed with another one.' })
    )
  },
  { additionalProperties: false }
)
export type NewRuleSet = Static<typeof NewRuleSet>

export const CallsQuery = Type.Object(
  {
    server_id: Type.Optional(Id),
    status: Type.Optional(Id),
    tool: Type.Optional(Id),
    session_id: Type.Optional(Id),
    agent: Type.Optional(Id),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Part of the title.' })),
    before: Type.Optional(Type.Integer({ minimum: 1, description: 'The `next` of the page before.' })),
    limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 })
  },
  { additionalProperties: false }
)

export const CancelBody = Type.Object(
  {
    server_id: Id,
    tool_call_id: Id,
    reason: Type.Optional(Type.String({ maxLength: 1_024, description: 'Why, for the log and the caller.' }))
  },
  { additionalProperties: false }
)

export const Decision = Type.Object(
  {
    server_id: Id,
    tool_call_id: Id,
    digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The digest of what was shown.' }),
    confirm: Type.Optional(Type.Boolean({ description: 'Must be true to approve a strict call.' })),
    reason: Type.Optional(Type.String({ maxLength: 4_096, description: 'Why, for the log and the caller.' })),
    user_message: Type.Optional(Type.String({ maxLength: 16_384, description: 'What the caller should do instead.' }))
  },
  { additionalProperties: false }
)
