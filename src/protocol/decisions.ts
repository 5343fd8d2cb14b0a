// Schemas of what policy decides by and what a decision records: saved and matched rules, options of an approval, the approver.
import { type Static, Type } from 'typebox'
import { NamedToken } from './named-token.ts'
import { APPROVAL_DEMAND_FIELDS, RuleEffect, RuleLimit, RuleMatch, RuleScope } from './rules.ts'
import { SessionMode } from './session-mode.ts'
import { Time } from './time.ts'

/** A rule that a person created by choosing one of `always_options`, or by POST /rules. */
export const SavedRule = Type.Object(
  {
    rule_id: Type.String(),
    effect: RuleEffect,
    match: RuleMatch,
    scope: RuleScope,
    session_id: Type.Optional(Type.String({ description: 'Session of the rule, with scope session.' })),
    token_id: Type.Optional(
      Type.String({
        description: 'Call-only token of the session; if missing, a session of any token.'
      })
    ),
    workspace: Type.Optional(Type.String({ description: 'Root folder of the workspace, with scope workspace.' })),
    reason: Type.Optional(Type.String()),
    ...APPROVAL_DEMAND_FIELDS,
    expires_at: Type.Union([Time, Type.Null()]),
    uses: Type.Optional(Type.Integer({ description: 'Number of calls that the rule may allow before it ends.' })),
    used: Type.Integer({ description: 'Number of calls that the rule has allowed.' }),
    last_used_at: Type.Optional(
      Type.Unsafe<string>({ ...Time, description: 'Time of the last call that it allowed.' })
    ),
    limit: Type.Optional(RuleLimit),
    spent: Type.Optional(
      Type.Array(
        Type.Object({
          subject: Type.Optional(Type.String({ description: 'Agent or session, with `limit.each`.' })),
          calls: Type.Integer({ description: 'Number of calls that the rule has allowed within `limit.per`.' })
        }),
        { description: 'Use of `limit`, highest first; at most 20.' }
      )
    ),
    created_at: Time,
    created_by: Type.String({ description: 'Client that created the rule.' })
  },
  { title: 'Rule' }
)
export type SavedRule = Static<typeof SavedRule>

export const MatchedRule = Type.Object(
  {
    tier: Type.Enum(['built-in', 'administrator', 'user', 'workspace', 'tool', 'server']),
    effect: Type.String(),
    reason: Type.String(),
    source: Type.Optional(
      Type.Literal('hub', {
        description:
          'Present for a rule of the hub. Hub rules that deny or ask have the priority of administrator rules.'
      })
    ),
    rule_id: Type.Optional(Type.String())
  },
  { title: 'MatchedRule' }
)
export type MatchedRule = Static<typeof MatchedRule>

const OfferedRule = Type.Object(
  { effect: RuleEffect, match: RuleMatch },
  { title: 'OfferedRule', description: 'A rule that would be saved.' }
)

export const AlwaysOption = Type.Object(
  {
    id: Type.String(),
    label: Type.String({ description: 'Description of the calls that the rule would allow.' }),
    scope: RuleScope,
    rule: Type.Optional(OfferedRule),
    rules: Type.Optional(
      Type.Array(OfferedRule, {
        description: 'All rules that would be saved, if a command line needs several. Replaces `rule`.'
      })
    )
  },
  { title: 'AlwaysOption' }
)
export type AlwaysOption = Static<typeof AlwaysOption>

const deciderFields = {
  token: Type.Optional(NamedToken),
  client: Type.Optional(Type.String({ description: 'Name of the client, as the client reports it; not verified.' })),
  via: Type.Optional(
    Type.Enum(['hub', 'notification'], {
      description:
        '`hub`: a person decided at the hub. `notification`: a person decided by a notification. `token` identifies the person.'
    })
  ),
  channel: Type.Optional(
    Type.String({ description: 'Channel of the notification by which the person decided; `token.name` is the person.' })
  ),
  decision_id: Type.Optional(Type.Integer({ description: "Id of the decision in the hub's database." })),
  reason: Type.Optional(Type.String({ description: 'Reason given by the approver.' })),
  at: Time
}

/** One of several approvals that a call needs. */
export const GivenApproval = Type.Object(
  {
    person: Type.String({
      description:
        'Distinguishes approvers: id of the token, of the token that it was made with, or of the person at the hub.'
    }),
    ...deciderFields
  },
  { title: 'GivenApproval', description: 'An approval of a call that needs several.' }
)
export type GivenApproval = Static<typeof GivenApproval>

export const ApprovedBy = Type.Object(
  {
    source: Type.Enum(['auto', 'user', 'rule', 'config', 'hook', 'mode']),
    mode: Type.Optional(SessionMode),
    hook: Type.Optional(Type.String({ description: 'Name of the hook that rejected the call.' })),
    rule_id: Type.Optional(
      Type.String({ description: 'Rule that allowed it, or the first rule saved with this decision.' })
    ),
    rule_ids: Type.Optional(
      Type.Array(Type.String(), { description: 'All rules saved with this decision, if there are several.' })
    ),
    ...deciderFields,
    digest: Type.Optional(Type.String()),
    earlier_approvals: Type.Optional(
      Type.Array(GivenApproval, { description: 'Approvals before this one, if the call needed several; oldest first.' })
    )
  },
  { title: 'ApprovedBy' }
)
export type ApprovedBy = Static<typeof ApprovedBy>
