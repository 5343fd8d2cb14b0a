// The schema of the form for a rule of a hub, with a description of each field.
import { NEW_RULE_SCHEMA } from '../rules/rule-schema.ts'

const { effect, match, reason, approvals, expires_after, expires_at, limit } = NEW_RULE_SCHEMA.properties
const examples = (description: string) => ({ type: 'array', items: { type: 'string', maxLength: 1_000 }, description })

export const HUB_RULE_SCHEMA = {
  type: 'object',
  required: ['effect', 'match'],
  properties: {
    effect,
    match,
    reason,
    approver: { enum: ['hub'], description: 'For ask: only people at the hub can approve the call.' },
    approvals,
    expires_after,
    expires_at: { ...expires_at, description: 'End of the rule as a time, such as 2027-01-31T12:00:00Z.' },
    limit,
    examples: {
      type: 'object',
      properties: {
        match: examples('Values that the rule must match.'),
        no_match: examples('Values that the rule must not match.')
      },
      description: 'Commands, values or paths that are checked when the rules are saved.'
    }
  }
}
