// Requests of people at the hub, and what it lists for them.

import { type Static, type TSchema, Type } from 'typebox'
import { ReviewComments } from './review-comment.ts'
import { ConfiguredRule } from './rules.ts'
import { HubId, RulesVersion } from './uplink.ts'

export const NewRuleSet = Type.Object(
  {
    rules: Type.Array(ConfiguredRule, {
      maxItems: 1_000,
      description: 'All rules of the hub. They replace the previous rule set.'
    }),
    replaces: Type.Union([RulesVersion, Type.Null()], {
      description:
        'Version of the rule set that these rules are based on; null for the first set. If the current version is ' +
        'different, the request fails with a conflict.'
    }),
    key: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Public key of this hub, if the last rule set was signed with another key.'
      })
    )
  },
  { additionalProperties: false }
)
export type NewRuleSet = Static<typeof NewRuleSet>

const Time = Type.String({ format: 'date-time' })
const OrNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

const RULE_SET_FACTS = {
  version: OrNull(RulesVersion),
  saved_at: OrNull(Time),
  saved_by: OrNull(Type.String({ description: 'Name of the person who saved the rule set.' })),
  fault: OrNull(
    Type.String({ description: 'Reason why the stored rule set is not trustworthy. Servers refuse it, too.' })
  )
}

/** The newest rule set, as people see it. */
export const SavedRuleSet = Type.Object({
  ...RULE_SET_FACTS,
  key: OrNull(Type.String({ description: 'Public key of the hub; null if this process has no key.' })),
  rules: OrNull(Type.Array(ConfiguredRule, { description: 'Null if the stored rule set is not trustworthy.' }))
})
export type SavedRuleSet = Static<typeof SavedRuleSet>

export const RuleSetVersion = Type.Object({
  ...RULE_SET_FACTS,
  count: OrNull(Type.Integer({ description: 'Number of rules; null if the stored rule set is not trustworthy.' }))
})
export type RuleSetVersion = Static<typeof RuleSetVersion>

export const CallsQuery = Type.Object(
  {
    server_id: Type.Optional(HubId),
    status: Type.Optional(HubId),
    tool: Type.Optional(HubId),
    session_id: Type.Optional(HubId),
    agent: Type.Optional(HubId),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Part of the title of the calls.' })),
    decided_by: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Part of the name of the person who approved or rejected the calls, at the hub or at the server.'
      })
    ),
    before: Type.Optional(Type.Integer({ minimum: 1, description: '`next` of the previous page.' })),
    limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 })
  },
  { additionalProperties: false }
)

export const CancelBody = Type.Object(
  {
    server_id: HubId,
    tool_call_id: HubId,
    reason: Type.Optional(
      Type.String({ maxLength: 1_024, description: 'Reason for the decision, for the log and the caller.' })
    )
  },
  { additionalProperties: false }
)

export const Decision = Type.Object(
  {
    server_id: HubId,
    tool_call_id: HubId,
    digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Digest of the preview that was shown.' }),
    confirm: Type.Optional(Type.Boolean({ description: 'Must be true to approve a strict call.' })),
    reason: Type.Optional(
      Type.String({ maxLength: 4_096, description: 'Reason for the decision, for the log and the caller.' })
    ),
    user_message: Type.Optional(
      Type.String({ maxLength: 16_384, description: 'Message to the caller, such as what to do instead.' })
    ),
    comments: Type.Optional(ReviewComments)
  },
  { additionalProperties: false }
)

export const ServerParams = Type.Object({ server_id: Type.String({ maxLength: 128 }) })
export const ServerCallParams = Type.Object({
  ...ServerParams.properties,
  tool_call_id: Type.String({ maxLength: 128 })
})
export const DecisionParams = Type.Object({ decision_id: Type.Integer({ minimum: 1 }) })

/** The request for a code with which one server enrols. */
export const NewEnrolment = Type.Object({ name: Type.Optional(HubId) }, { additionalProperties: false })

export const HubEventsQuery = Type.Object(
  { after: Type.Optional(Type.Integer({ minimum: 0 })) },
  { additionalProperties: false }
)
export const HubEventsHeaders = Type.Object({ 'last-event-id': Type.Optional(Type.String({ pattern: '^\\d{1,15}$' })) })

/** A server in the list of the hub. */
export const ListedServer = Type.Object({
  server_id: Type.String(),
  name: Type.String(),
  state: Type.Enum(['connected', 'silent', 'revoked'], {
    description: 'State of the server. connected: the hub has recently received data from it.'
  }),
  behind: Type.Integer({ description: 'Number of events of the server that the hub has not yet received.' }),
  waiting: Type.Integer({ description: 'Number of calls of the server that wait for approval.' }),
  seen_at: OrNull(Time),
  enrolled_at: Time,
  enrolled_by: Type.String(),
  rules_version: OrNull(
    Type.Integer({
      description: 'Version of the rule set of the hub that is active at the server; null if it has none.'
    })
  ),
  rules_refused: OrNull(
    Type.Object(
      { version: OrNull(Type.Integer()), reason: Type.String() },
      { description: 'Newer rule set that the server refused.' }
    )
  ),
  host: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  roots: Type.Optional(Type.Array(Type.String()))
})
export type ListedServer = Static<typeof ListedServer>

/** A call that a search found. */
export const FoundCall = Type.Object({
  n: Type.Integer(),
  server_id: Type.String(),
  server_name: Type.String(),
  tool_call_id: Type.String(),
  tool: Type.String(),
  status: Type.String(),
  session_id: OrNull(Type.String()),
  agent: OrNull(Type.String()),
  title: OrNull(Type.String()),
  decided_by: OrNull(Type.String({ description: 'Person who approved or rejected the call.' })),
  created_at: Time
})
export type FoundCall = Static<typeof FoundCall>

export const FoundCallPage = Type.Object({
  calls: Type.Array(FoundCall),
  next: OrNull(Type.Integer({ description: 'Value of `before` for the next page.' }))
})
export type FoundCallPage = Static<typeof FoundCallPage>

/** Roles of people. Each may do what those before it may: read, decide, and enroll servers and people. */
export const PERSON_ROLES = ['viewer', 'approver', 'admin'] as const
export type PersonRole = (typeof PERSON_ROLES)[number]

const AccountName = Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' })
export const AccountParams = Type.Object({ name: AccountName })
export const NewAccount = Type.Object(
  { name: AccountName, role: Type.Enum([...PERSON_ROLES]) },
  { additionalProperties: false }
)
export const SignInBody = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 256 }) },
  { additionalProperties: false }
)

const { confirm, reason, user_message, comments, digest } = Decision.properties
export const ConsoleCallParams = Type.Object({ id: Type.String({ maxLength: 256 }) })
export const ConsoleEventsHeaders = Type.Object({
  'last-event-id': Type.Optional(Type.String({ pattern: '^(?:hub-)?\\d{1,15}$' }))
})
export const ConsoleApproval = Type.Object({ digest, confirm, reason }, { additionalProperties: false })
export const ConsoleRejection = Type.Object({ reason, user_message, comments }, { additionalProperties: false })
