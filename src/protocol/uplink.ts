// Messages between a server and its hub.

import { type Static, Type } from 'typebox'
import { ReviewComments } from './review-comment.ts'

/** Maximum number of events in a batch, and of characters of one event. */
export const MAX_BATCH_EVENTS = 500
export const MAX_EVENT_LENGTH = 32 * 1024 * 1024

/** An id or a name, as PostgreSQL can store it. */
export const HubId = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\u0000]+$' })
const Seq = Type.Integer({ minimum: 0 })
const JournalId = Type.String({ pattern: '^[0-9a-f]{12}$' })
const closed = { additionalProperties: false }

/** Facts that a server gives when it is enrolled. */
export const ServerFacts = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 256 }),
    version: Type.String({ maxLength: 64 }),
    roots: Type.Array(Type.String({ maxLength: 4_096 }), { maxItems: 256 })
  },
  closed
)
export type ServerFacts = Static<typeof ServerFacts>

/** An event as the hub takes it. */
const UplinkEvent = Type.Object(
  {
    seq: Seq,
    type: Type.String({ pattern: '^[a-z][a-z_.]{0,63}$' }),
    time: Type.String({ format: 'date-time' }),
    tool_call_id: Type.Optional(HubId),
    data: Type.String({
      minLength: 2,
      maxLength: MAX_EVENT_LENGTH,
      description: 'Event as JSON. A tool.result also has the result.'
    })
  },
  closed
)
export type UplinkEvent = Static<typeof UplinkEvent>

/** Events that the hub will not get: they were dropped before they could be sent, or it refused them. */
const UplinkGap = Type.Object({ after: Seq, until: Seq, reason: Type.String({ maxLength: 1_024 }) }, closed)
export type UplinkGap = Static<typeof UplinkGap>

export const UplinkBatch = Type.Object(
  {
    journal_id: JournalId,
    head: Type.Integer({ minimum: 0, description: 'Seq of the newest event of the journal.' }),
    events: Type.Array(UplinkEvent, { maxItems: MAX_BATCH_EVENTS, description: 'Events in ascending order.' }),
    gap: Type.Optional(UplinkGap)
  },
  closed
)
export type UplinkBatch = Static<typeof UplinkBatch>

/** A call that waits, as its event shows it. */
const WaitingCall = Type.Object(
  {
    tool_call_id: HubId,
    time: Type.String({ format: 'date-time' }),
    data: Type.String({ minLength: 2, maxLength: MAX_EVENT_LENGTH, description: "Fields of the call's event as JSON." })
  },
  closed
)
export type WaitingCall = Static<typeof WaitingCall>

/** The calls of a journal that wait when its newest event is `head`. */
export const WaitingCalls = Type.Object(
  {
    journal_id: JournalId,
    head: Seq,
    calls: Type.Array(WaitingCall, { maxItems: MAX_BATCH_EVENTS, description: 'Waiting calls, oldest first.' })
  },
  closed
)
export type WaitingCalls = Static<typeof WaitingCalls>

/** Version of a rule set. */
export const RulesVersion = Type.Integer({ minimum: 1 })

export const RulesReport = Type.Object(
  {
    version: Type.Union([RulesVersion, Type.Null()], {
      description: 'Version of the active rule set of the server; null if it has none.'
    }),
    refused: Type.Union([
      Type.Object(
        { version: Type.Union([RulesVersion, Type.Null()]), reason: Type.String({ maxLength: 1_024 }) },
        { additionalProperties: false, description: 'Newer rule set that the server rejected.' }
      ),
      Type.Null()
    ])
  },
  closed
)
export type RulesReport = Static<typeof RulesReport>

/** A person's decision at the hub on what a call of this server's journal would do, or a cancel of the call. */
const HubDecision = Type.Object({
  decision_id: Type.Integer(),
  journal_id: JournalId,
  tool_call_id: HubId,
  digest: Type.Union([Type.String(), Type.Null()], { description: 'Digest of the preview; null for a cancel.' }),
  verdict: Type.Enum(['approve', 'reject', 'cancel']),
  person: Type.Object({ id: Type.String(), name: Type.String() }),
  confirm: Type.Optional(Type.Boolean({ description: 'Required to approve a strict call.' })),
  reason: Type.Optional(Type.String()),
  user_message: Type.Optional(Type.String({ description: 'Message to the caller, for a rejection.' })),
  comments: Type.Optional(ReviewComments)
})
export type HubDecision = Static<typeof HubDecision>

export const Enrolment = Type.Object({ facts: ServerFacts }, closed)
export const JournalParams = Type.Object({ journal_id: JournalId })
export const RefusedDecisionParams = Type.Object({ decision_id: Type.Integer({ minimum: 1 }) })
export const DecisionRefusal = Type.Object({ reason: Type.String({ maxLength: 1_024 }) }, closed)
