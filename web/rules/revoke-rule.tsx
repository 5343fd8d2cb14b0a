// Taking a rule back: shows it and asks.
import type { RememberedRule } from '../../src/client/client.ts'
import { client } from '../session/session.ts'
import { Question } from '../shell/confirm-action.tsx'
import { matchWords, scopeWords } from './format-rule.ts'

export function RevokeRule({ rule, onClose }: { rule: RememberedRule; onClose: () => void }) {
  const { rule_id, effect, match } = rule
  const revoke = () => client().revokeRule(rule_id)
  return (
    <Question title="Take this rule back?" no="Keep it" yes="Revoke" done="Rule revoked" act={revoke} onClose={onClose}>
      <p>
        <strong>{effect}</strong> <span class="mono">{matchWords(match)}</span>, {scopeWords(rule)}
      </p>
      <pre class="code">{JSON.stringify(match, null, 2)}</pre>
      <p>Calls are judged without it from then on. What it let through stays done.</p>
    </Question>
  )
}
