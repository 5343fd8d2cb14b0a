// A form generated from a JSON Schema: a field for each param, or all of them as JSON.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { FieldErrors, FormField } from './field.tsx'
import type { Form } from './form.ts'
import { JsonControl } from './json-control.tsx'
import { isPlainObject, type Property, toField } from './schema.ts'

interface Props {
  form: Form
  /** Title of the group, such as "Params of grep", announced by screen readers. */
  label: string
}

export function SchemaForm({ form, label }: Props) {
  const asJson = useSignal(toField(form.schema, form.schema).kind !== 'table')
  const id = useId()
  return (
    <fieldset class="form">
      <legend class="spoken">{label}</legend>
      <div class="choice form-mode">
        <button type="button" class="button" aria-pressed={!asJson.value} onClick={() => (asJson.value = false)}>
          Fields
        </button>
        <button type="button" class="button" aria-pressed={asJson.value} onClick={() => (asJson.value = true)}>
          JSON
        </button>
      </div>
      <UnattachedErrors form={form} />
      {asJson.value ? (
        <div class="field">
          <label class="spoken" for={id}>
            {label} as JSON
          </label>
          <JsonControl form={form} place={[]} id={id} />
          <FieldErrors id={id} form={form} place={[]} />
        </div>
      ) : (
        <Fields form={form} />
      )}
    </fieldset>
  )
}

/** Required and filled fields come first; the rest is collapsed. */
function Fields({ form }: { form: Form }) {
  const field = toField(form.schema, form.schema)
  const given = useSignal(new Set(Object.keys(isPlainObject(form.value.peek()) ? (form.value.peek() as object) : {})))
  if (field.kind !== 'table') return <FormField form={form} place={[]} name="value" schema={form.schema} required />
  const isFirst = ({ name, required }: Property) => required || given.value.has(name)
  const first = field.properties.filter(isFirst)
  const rest = field.properties.filter(property => !isFirst(property))
  const unknown = [...given.value].filter(name => !field.properties.some(property => property.name === name))
  const shown = (property: Property) => (
    <FormField key={property.name} form={form} place={[property.name]} {...property} />
  )
  return (
    <>
      {field.properties.length === 0 && <p class="muted">This tool has no params.</p>}
      {first.map(shown)}
      {unknown.map(name => shown({ name, schema: { description: 'Not a parameter of this tool.' }, required: false }))}
      {rest.length > 0 &&
        (first.length === 0 ? (
          rest.map(shown)
        ) : (
          <details class="form-more">
            <summary>{rest.length === 1 ? '1 more param' : `${rest.length} more params`}</summary>
            {rest.map(shown)}
          </details>
        ))}
    </>
  )
}

function UnattachedErrors({ form }: { form: Form }) {
  const faults = form.unattachedErrors
  if (faults.length === 0) return null
  return (
    <ul class="fault" role="alert">
      {faults.map(({ pointer, message }) => (
        <li key={pointer}>
          <code>{pointer || 'The params'}</code> {message}
        </li>
      ))}
    </ul>
  )
}
