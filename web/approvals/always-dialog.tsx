// The dialog for approval with a rule: lists the rules that the server suggests, verbatim, and their limits. None is preselected.
import { useState } from 'preact/hooks'
import type { NewRule } from '../../src/client/client.ts'
import { RuleTest } from '../rules/rule-test.tsx'
import { Dialog, SubmitButton } from '../shell/dialog.tsx'
import type { WaitingCall } from '../store/approvals.ts'
import { markInvisible } from '../text/invisible.tsx'
import { useGuard } from './decision-guard.ts'
import { approveAndGoOn } from './queue.ts'

export function AlwaysDialog({ call, onClose }: { call: WaitingCall; onClose: () => void }) {
  const [chosen, setChosen] = useState<string>()
  const [lifetime, setLifetime] = useState('')
  const [uses, setUses] = useState('')
  const [onlySession, setOnlySession] = useState(false)
  const guard = useGuard(call.approval.digest)
  const option = call.approval.always_options.find(({ id }) => id === chosen)
  const submit = () => {
    if (chosen === undefined || !guard.acceptsClick()) return
    onClose()
    const always_limits = {
      ...(lifetime !== '' && { for: lifetime }),
      ...(Number(uses) > 0 && { uses: Number(uses) }),
      ...(onlySession && { scope: 'session' as const })
    }
    void approveAndGoOn(call, { always: chosen, always_limits })
  }
  return (
    <Dialog title="Approve and save a rule" onClose={onClose} onSubmit={submit}>
      <div class="inside">
        <fieldset class="rules-offered">
          <legend class="muted">The rule is saved exactly as shown.</legend>
          {call.approval.always_options.map(({ id, label, rule, rules }) => (
            <label key={id} class="check rule-offered">
              <input type="radio" name="rule" checked={chosen === id} onChange={() => setChosen(id)} />
              <span>
                {markInvisible(label)}
                {(rules ?? (rule ? [rule] : [])).map((each, index) => (
                  <code key={index} class="rule-text">
                    {each.effect} {markInvisible(JSON.stringify(each.match))}
                  </code>
                ))}
              </span>
            </label>
          ))}
        </fieldset>
        <div class="row">
          <label class="field">
            Ends
            <select class="input" value={lifetime} onChange={({ currentTarget }) => setLifetime(currentTarget.value)}>
              {LIFETIMES.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            Number of calls
            <input
              class="input"
              type="number"
              min="1"
              max="1000000"
              step="1"
              placeholder="no limit"
              value={uses}
              onInput={({ currentTarget }) => setUses(currentTarget.value)}
            />
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={onlySession}
              onChange={({ currentTarget }) => setOnlySession(currentTarget.checked)}
            />
            <span>Only in this session</span>
          </label>
        </div>
        {option && <RuleTest key={option.id} change={() => ({ rules: toNewRules(option, call, onlySession) })} />}
        <p class="muted small">The page Rules lists saved rules. You can revoke them there.</p>
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Back
          </button>
          <SubmitButton kind="primary" aria-disabled={chosen === undefined || !guard.isReady} onClick={submit}>
            Approve and save
          </SubmitButton>
        </div>
      </div>
    </Dialog>
  )
}

type AlwaysOption = WaitingCall['approval']['always_options'][number]

/** The rules of an option, as they would be saved for this call. */
const toNewRules = (
  { rule, rules = rule ? [rule] : [], scope }: AlwaysOption,
  { session_id, workspace }: WaitingCall,
  onlySession: boolean
): NewRule[] => rules.map(each => ({ ...each, scope: onlySession ? 'session' : scope, session_id, workspace }))

const LIFETIMES: readonly (readonly [duration: string, label: string])[] = [
  ['', 'when revoked'],
  ['15m', 'after 15 minutes'],
  ['1h', 'after 1 hour'],
  ['8h', 'after 8 hours'],
  ['1d', 'after 1 day'],
  ['7d', 'after 7 days']
]
