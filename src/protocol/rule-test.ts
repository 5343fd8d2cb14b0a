// Schemas of a rule test: the calls of the journal that a changed rule or mode would have decided differently.
import { type Static, Type } from 'typebox'
import { CALL_STATUSES } from './call-statuses.ts'
import type { ApprovedBy } from './decisions.ts'
import { APPROVAL_DEMAND_FIELDS, RULE_END_FIELDS, RuleEffect, RuleLimit, RuleMatch, RuleScope } from './rules.ts'
import { SessionMode } from './session-mode.ts'
import { Time } from './time.ts'

/** A rule to be saved, or tested. */
export const NewRuleBody = Type.Object(
  {
    effect: RuleEffect,
    match: RuleMatch,
    scope: RuleScope,
    session_id: Type.Optional(
      Type.String({ maxLength: 256, description: 'Session of the rule. Required with scope session.' })
    ),
    workspace: Type.Optional(
      Type.String({ maxLength: 64, description: 'Workspace of the rule, with scope session or workspace.' })
    ),
    reason: Type.Optional(Type.String({ maxLength: 1_024 })),
    ...APPROVAL_DEMAND_FIELDS,
    ...RULE_END_FIELDS,
    limit: Type.Optional(RuleLimit)
  },
  { additionalProperties: false, title: 'NewRule' }
)
export type NewRule = Static<typeof NewRuleBody>

const MAX_LISTED_CALLS = 500

export const RuleTestBody = Type.Object(
  {
    rule: Type.Optional(NewRuleBody),
    rules: Type.Optional(
      Type.Array(NewRuleBody, {
        minItems: 1,
        maxItems: 50,
        description: 'Several rules to be added together, such as those of an always option.'
      })
    ),
    revoke: Type.Optional(Type.String({ description: '`rule_id` of the saved rule that would be revoked.' })),
    mode: Type.Optional(SessionMode),
    since: Type.String({ format: 'date-time', description: 'Only calls that were created at or after this time.' }),
    session_id: Type.Optional(Type.String({ description: 'Only calls of this session.' })),
    workspace: Type.Optional(Type.String({ description: 'Only calls in the workspace of this name.' })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LISTED_CALLS,
        description: 'Maximum number of entries in `changed`. Default: 100.'
      })
    )
  },
  {
    additionalProperties: false,
    title: 'RuleTestRequest',
    description:
      'Exactly one change: `rule` or `rules` to be added, `revoke` for a saved rule, or another `mode`. Limits and uses of rules are ignored.'
  }
)
export type RuleTestBody = Static<typeof RuleTestBody>

/** A change of the rules or the mode, and the past calls that it is tested on. */
export type RuleTestRequest = Omit<RuleTestBody, 'rule' | 'rules' | 'revoke' | 'mode'> &
  ({ rule: NewRule } | { rules: NewRule[] } | { revoke: string } | { mode: SessionMode })

const Decision = Type.Enum(['allow', 'ask', 'strict', 'deny'])
export type TestedDecision = Static<typeof Decision>

const Count = Type.Integer({ minimum: 0 })
const DecisionCounts = (description: string) =>
  Type.Object({ allow: Count, ask: Count, strict: Count, deny: Count }, { description })

export const ChangedDecision = Type.Object({
  tool_call_id: Type.String(),
  tool: Type.String(),
  title: Type.String({ description: 'The title of the call, without credentials.' }),
  session_id: Type.String(),
  workspace: Type.String(),
  created_at: Time,
  status: Type.Enum([...CALL_STATUSES], { description: 'Status of the call.' }),
  decided_by: Type.Optional(
    Type.Unsafe<ApprovedBy>({
      $ref: 'ApprovedBy#',
      description: 'Person, rule or other source of the original decision.'
    })
  ),
  before: Decision,
  after: Decision,
  reason: Type.String({ description: 'Reason for the decision that the change would cause.' })
})
export type ChangedDecision = Static<typeof ChangedDecision>

export const RuleTest = Type.Object(
  {
    since: Time,
    tested: Type.Integer({ description: 'Number of calls that were tested.' }),
    cut: Type.Boolean({ description: 'True if there were too many calls, so that the oldest were not tested.' }),
    before: DecisionCounts('Number of calls by decision, under the current rules and modes.'),
    after: DecisionCounts('Number of calls by decision, under the changed rules and modes.'),
    changed: Type.Array(ChangedDecision, { description: 'Calls whose decision would change, newest first.' }),
    changed_total: Type.Integer({ description: 'Number of calls whose decision would change.' }),
    not_evaluated: Type.Array(
      Type.Object({
        reason: Type.String({
          description:
            '`content_removed`: its params are no longer stored. `credentials_masked`: credentials in its params are not stored. `workspace_gone`: its workspace is no longer served. Otherwise an error code such as UNKNOWN_TOOL: the call would fail before rules are applied.'
        }),
        count: Type.Integer()
      }),
      { description: 'Calls that could not be tested.' }
    )
  },
  { title: 'RuleTest', description: 'Test result for the current workspace.' }
)
export type RuleTest = Static<typeof RuleTest>
