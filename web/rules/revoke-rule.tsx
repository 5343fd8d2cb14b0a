// The dialog that revokes a rule: shows it and asks for confirmation.
import type { SavedRule } from '../../src/client/client.ts'
import { client } from '../session/session.ts'
import { ConfirmAction } from '../shell/confirm-action.tsx'
import { formatMatch, formatScope } from './format-rule.ts'
import { RuleTest } from './rule-test.tsx'

export function RevokeRule({ rule, onClose }: { rule: SavedRule; onClose: () => void }) {
  const { rule_id, effect, match } = rule
  const revoke = () => client().revokeRule(rule_id)
  return (
    <ConfirmAction
      title="Revoke this rule?"
      cancelLabel="Keep"
      confirmLabel="Revoke"
      doneMessage="Rule revoked"
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>
        <strong>{effect}</strong> <span class="mono">{formatMatch(match)}</span>, {formatScope(rule)}
      </p>
      <pre class="code">{JSON.stringify(match, null, 2)}</pre>
      <p>The rule no longer applies to later calls. Calls that it allowed earlier are not affected.</p>
      <RuleTest change={() => ({ revoke: rule_id })} />
    </ConfirmAction>
  )
}
