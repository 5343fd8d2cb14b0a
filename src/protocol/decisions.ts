// Schemas of what policy decides by and what a decision records: saved and matched rules, options of an approval, the approver.
import { type Static, Type } from 'typebox'
import { NamedToken } from './named-token.ts'
import { RuleEffect, RuleMatch, RuleScope } from './rules.ts'
import { SessionMode } from './session-mode.ts'
import { Time } from './time.ts'

/** A rule that a person created by choosing one of `always_options`, or by POST /rules. */
export const SavedRule = Type.Object(
  {
    rule_id: Type.String(),
    effect: RuleEffect,
    match: RuleMatch,
    scope: RuleScope,
    session_id: Type.Optional(Type.String({ description: 'With scope session.' })),
    token_id: Type.Optional(
      Type.String({ description: 'The call-only token whose session it is; without it, a session of any token.' })
    ),
    workspace: Type.Optional(Type.String({ description: 'Root folder, with scope workspace.' })),
    reason: Type.Optional(Type.String()),
    expires_at: Type.Union([Time, Type.Null()]),
    created_at: Time,
    created_by: Type.String({ description: 'Client that made it.' })
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
        description: "It is a rule of the hub; those that deny or ask rank as the administrator's."
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
    label: Type.String({ description: 'What would be allowed, in words.' }),
    scope: RuleScope,
    rule: Type.Optional(OfferedRule),
    rules: Type.Optional(
      Type.Array(OfferedRule, {
        description: 'All rules that would be saved instead of `rule`, if a command line needs several.'
      })
    )
  },
  { title: 'AlwaysOption' }
)
export type AlwaysOption = Static<typeof AlwaysOption>

export const ApprovedBy = Type.Object(
  {
    source: Type.Enum(['auto', 'user', 'rule', 'config', 'hook', 'mode']),
    mode: Type.Optional(SessionMode),
    hook: Type.Optional(Type.String({ description: 'Name of the hook that refused it.' })),
    rule_id: Type.Optional(
      Type.String({ description: 'The rule that let it run, or the first of those that were made by this decision.' })
    ),
    rule_ids: Type.Optional(
      Type.Array(Type.String(), { description: 'All that were made by it, where it was more than one.' })
    ),
    token: Type.Optional(NamedToken),
    client: Type.Optional(Type.String({ description: 'The name that the client gives itself: a label, no proof.' })),
    via: Type.Optional(
      Type.Literal('hub', { description: 'It was decided at the hub, by the person that `token` names.' })
    ),
    decision_id: Type.Optional(Type.Integer({ description: 'Id of the decision at the hub.' })),
    reason: Type.Optional(Type.String({ description: 'The reason that the approver gave.' })),
    at: Time,
    digest: Type.Optional(Type.String())
  },
  { title: 'ApprovedBy' }
)
export type ApprovedBy = Static<typeof ApprovedBy>

/** Formats who decided: the name of the token, with the label of the client. */
export const formatDecider = ({ token, client, source }: Pick<ApprovedBy, 'token' | 'client' | 'source'>): string =>
  token === undefined
    ? (client ?? source)
    : client === undefined || client === token.name
      ? token.name
      : `${token.name} (${client})`
