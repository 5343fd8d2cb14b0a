// Answers of the hub to people, as its API document describes them.
import { type TSchema, Type } from 'typebox'
import { FoundCall, FoundCallPage, ListedServer, PERSON_ROLES, RuleSetVersion, SavedRuleSet } from './hub.ts'

const Time = Type.String({ format: 'date-time' })
const OrNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const Role = Type.Enum([...PERSON_ROLES], { title: 'Role' })

/** The answer of operations that return nothing. */
export const NoContent = Type.Null()

export const HubHealth = Type.Object({
  status: Type.Literal('ok'),
  hub: Type.Object({ sign_in: Type.Array(Type.Enum(['oidc', 'token']), { description: 'Ways to sign in.' }) })
})

export const HubSession = Type.Object(
  {
    person: Type.Object({ id: Type.String(), name: Type.String() }),
    role: Role
  },
  { title: 'Session' }
)

export const AccountList = Type.Object({
  accounts: Type.Array(
    Type.Object({ name: Type.String(), role: Role, made_by: Type.String(), made_at: Time }, { title: 'Account' })
  )
})

export const AddedAccount = Type.Object({
  name: Type.String(),
  role: Role,
  token: Type.String({ description: 'Token of the account. The hub does not show it again.' })
})

export const EnrolmentCode = Type.Object({
  code: Type.String({ description: 'Code for `toolgate serve --hub-code`.' }),
  expires_at: Time
})

const ServerDetails = Type.Object(
  {
    ...ListedServer.properties,
    revoked_at: OrNull(Time),
    journal_id: OrNull(Type.String({ description: 'Newest journal of the server; null if it has sent none.' }))
  },
  { title: 'Server' }
)
export const ServerList = Type.Object({ servers: Type.Array(ServerDetails) })

const CALL_FACTS = {
  ...FoundCall.properties,
  journal_id: Type.String(),
  workspace: OrNull(Type.String()),
  client: OrNull(Type.String()),
  ended_at: OrNull(Time),
  digest: OrNull(Type.String({ description: 'Digest of the preview, while the call waits for approval.' }))
}
const StoredCall = Type.Object(CALL_FACTS, { title: 'StoredCall' })
const number = OrNull(Type.Integer({ description: 'Null if the hub has not received the event of the call yet.' }))

export const StoredCallPage = Type.Object({
  calls: Type.Array(StoredCall),
  next: FoundCallPage.properties.next
})

const JournalEvent = Type.Record(Type.String(), Type.Unknown(), {
  title: 'JournalEvent',
  description: 'Event as the server has sent it, with `seq`, `type` and `time`. See the API document of the server.'
})

export const CallWithEvents = Type.Object({
  ...CALL_FACTS,
  n: number,
  events: Type.Array(JournalEvent),
  truncated: Type.Boolean({ description: 'True if the call has more events than the answer.' })
})

const DECISION_FACTS = {
  decision_id: Type.Integer(),
  verdict: Type.Enum(['approve', 'reject', 'cancel']),
  person_name: Type.String(),
  decided_at: Time
}

export const DecisionAnswer = Type.Object(
  {
    ...DECISION_FACTS,
    state: Type.Enum(['sent', 'applied', 'refused'], {
      description: 'sent: the server has not answered yet. applied, refused: the answer of the server.'
    }),
    refusal: OrNull(Type.String({ description: 'Reason why the server refused the decision.' }))
  },
  { title: 'Decision' }
)

const SentDecision = Type.Object({ ...DECISION_FACTS, state: Type.Literal('sent') }, { title: 'SentDecision' })

export const WaitingCallList = Type.Object({
  approvals: Type.Array(
    Type.Object(
      {
        ...CALL_FACTS,
        n: number,
        decision: Type.Optional(SentDecision)
      },
      { title: 'WaitingCall' }
    )
  )
})

export const RuleSetAnswer = Type.Object(SavedRuleSet.properties, { title: 'RuleSet' })
export const VersionList = Type.Object({
  versions: Type.Array(Type.Object(RuleSetVersion.properties, { title: 'RuleSetVersion' }))
})

export const HubEventFrame = Type.Object(
  {
    server_id: Type.String(),
    server_name: Type.String(),
    journal_id: Type.String(),
    received_at: Time,
    seq: Type.Integer(),
    type: Type.String(),
    time: Time
  },
  {
    title: 'HubEvent',
    description: 'Event of a server. It has further fields, which the API document of the server describes.'
  }
)
