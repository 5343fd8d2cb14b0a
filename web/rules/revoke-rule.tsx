// Taking a rule back: shows it and asks.
import { useSignal } from '@preact/signals'
import type { RememberedRule } from '../../src/client/client.ts'
import { client, whatFailed } from '../session/session.ts'
import { Dialog } from '../shell/dialog.tsx'
import { say } from '../shell/say.tsx'
import { matchWords, scopeWords } from './words.ts'

export function RevokeRule({ rule, onClose }: { rule: RememberedRule; onClose: () => void }) {
  const fault = useSignal<string | undefined>(undefined)
  const revoke = async () => {
    try {
      await client().revokeRule(rule.rule_id)
      say('Rule revoked')
      onClose()
    } catch (error) {
      fault.value = whatFailed(error)
    }
  }
  return (
    <Dialog title="Take this rule back?" onClose={onClose} onSubmit={() => void revoke()}>
      <div class="inside">
        <p>
          <strong>{rule.effect}</strong> <span class="mono">{matchWords(rule.match)}</span>, {scopeWords(rule)}
        </p>
        <pre class="code">{JSON.stringify(rule.match, null, 2)}</pre>
        <p>Calls are judged without it from then on. What it let through stays done.</p>
        {fault.value !== undefined && (
          <p class="notice bad" role="alert">
            {fault.value}
          </p>
        )}
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            Keep it
          </button>
          <button type="button" class="button danger" onClick={() => void revoke()}>
            Revoke
          </button>
        </div>
      </div>
    </Dialog>
  )
}
