// The dialog that adds or edits a rule of a hub. The rule becomes a change that is not saved yet.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { Form } from '../form/form.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { Dialog, SubmitButton } from '../shell/dialog.tsx'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { HUB_RULE_SCHEMA } from './hub-rule-schema.ts'
import type { HubRule } from './rule-changes.ts'

interface HubRuleDialogProps {
  /** The rule to edit; without one a rule is added. */
  rule: HubRule | undefined
  onDone: (rule: HubRule) => void
  onClose: () => void
}

export function HubRuleDialog({ rule, onDone, onClose }: HubRuleDialogProps) {
  const form = useMemo(() => new Form(HUB_RULE_SCHEMA, rule), [])
  const fault = useSignal<string | undefined>(undefined)
  const submit = () => {
    const value = form.value.peek() as Partial<HubRule> | undefined
    if (form.hasDrafts) fault.value = 'Correct the fields that are not valid first.'
    else if (!value?.effect || typeof value.match !== 'object') fault.value = 'A rule needs an effect and a match.'
    else {
      onDone(value as HubRule)
      onClose()
    }
  }
  const [title, label] = rule ? ['Edit the rule', 'Change'] : ['Add a rule', 'Add']
  return (
    <Dialog title={title} onClose={onClose} onSubmit={submit}>
      <form
        onSubmit={event => {
          event.preventDefault()
          submit()
        }}
      >
        <SchemaForm form={form} label="The rule" />
        <ErrorNotice text={fault.value} />
        <p class="muted small">Servers get the rule when you save the rules.</p>
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <SubmitButton kind="primary" type="submit">
            {label}
          </SubmitButton>
        </div>
      </form>
    </Dialog>
  )
}
