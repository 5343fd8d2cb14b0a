// The dialog for permanent approval: lists the rules that the server suggests, verbatim. None is preselected.
import { useState } from 'preact/hooks'
import { Dialog } from '../shell/dialog.tsx'
import type { WaitingCall } from '../store/approvals.ts'
import { markInvisible } from '../text/invisible.tsx'
import { useGuard } from './decision-guard.ts'
import { approveAndGoOn } from './queue.ts'

export function AlwaysDialog({ call, onClose }: { call: WaitingCall; onClose: () => void }) {
  const [chosen, setChosen] = useState<string>()
  const guard = useGuard(call.approval.digest)
  const submit = () => {
    if (chosen === undefined || !guard.acceptsClick()) return
    onClose()
    void approveAndGoOn(call, { always: chosen })
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
        <p class="muted small">The page Rules lists saved rules. You can revoke them there.</p>
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Back
          </button>
          <button
            class="button primary"
            type="button"
            aria-disabled={chosen === undefined || !guard.isReady}
            onClick={submit}
          >
            Approve and save
          </button>
        </div>
      </div>
    </Dialog>
  )
}
