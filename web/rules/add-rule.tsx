// The form for a new rule. The server validates it field by field.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { type NewRule, ToolgateError } from '../../src/client/client.ts'
import { Form } from '../form/form.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { client, toErrorMessage } from '../session/session.ts'
import { Dialog, SubmitButton } from '../shell/dialog.tsx'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { announce } from '../shell/live-region.tsx'
import { NEW_RULE_SCHEMA } from './rule-schema.ts'
import { RuleTest } from './rule-test.tsx'

export function AddRule({ onClose }: { onClose: () => void }) {
  const form = useMemo(() => new Form(NEW_RULE_SCHEMA), [])
  const fault = useSignal<string | undefined>(undefined)
  const add = async () => {
    try {
      await client().addRule(form.value.peek() as NewRule)
      announce('Rule added')
      onClose()
    } catch (error) {
      fault.value = toErrorMessage(error)
      if (error instanceof ToolgateError) form.setErrors(error.problem?.errors ?? [], '')
    }
  }
  return (
    <Dialog title="Add a rule" onClose={onClose} onSubmit={() => void add()}>
      <form
        onSubmit={event => {
          event.preventDefault()
          void add()
        }}
      >
        <SchemaForm form={form} label="The rule" />
        <RuleTest
          change={() => ({ rule: form.value.peek() as NewRule })}
          onError={error => {
            if (error instanceof ToolgateError) form.setErrors(error.problem?.errors ?? [], '/rule')
          }}
        />
        <ErrorNotice text={fault.value} />
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <SubmitButton type="submit" kind="primary">
            Add
          </SubmitButton>
        </div>
      </form>
    </Dialog>
  )
}
