// One field of a form: label, description, control and errors.
import { useId } from 'preact/hooks'
import { markInvisible } from '../text/invisible.tsx'
import { BooleanControl, NumberControl, SelectControl, TextControl } from './controls.tsx'
import type { Form } from './form.ts'
import { JsonControl } from './json-control.tsx'
import { type JsonPath, toPointer } from './json-path.ts'
import { ListControl, MapControl, ObjectControl, VariantControl } from './nested-controls.tsx'
import { canShow, descriptionOf, type Field, type Schema, toField } from './schema.ts'

export interface FieldProps {
  form: Form
  place: JsonPath
  name: string
  schema: Schema
  required: boolean
  /** The surrounding label names the field, as for list items; screen readers still announce the name. */
  hideName?: boolean
}

/** Props of every control. */
export interface ControlProps<K extends Field['kind']> extends FieldProps {
  id: string
  field: Extract<Field, { kind: K }>
}

export function FormField(props: FieldProps) {
  const { form, place, name, schema, required, hideName } = props
  const id = useId()
  const value = form.at(place)
  const wanted = toField(schema, form.schema)
  const field: Field = value === undefined || canShow(wanted, value, form.schema) ? wanted : { kind: 'json' }
  const about = <FieldDescription id={id} text={descriptionOf(schema, form.schema)} limits={formatLimits(field)} />
  const control = renderControl(field, { ...props, id })
  if (isGroup(field))
    return (
      <fieldset class="field field-group" aria-describedby={`${id}-about`}>
        <legend class={hideName ? 'spoken' : undefined}>
          <FieldName name={name} required={required} />
        </legend>
        <div class="field-nest">
          {about}
          {control}
          {/* The selected variant has the same path and shows the error. */}
          {(field.kind !== 'variant' || value === undefined) && <FieldErrors id={id} form={form} place={place} />}
        </div>
      </fieldset>
    )
  return (
    <div class="field">
      <label for={id} class={hideName ? 'spoken' : undefined}>
        <FieldName name={name} required={required} />
      </label>
      {about}
      {control}
      <FieldErrors id={id} form={form} place={place} />
    </div>
  )
}

const FieldName = ({ name, required }: { name: string; required: boolean }) => (
  <>
    <code>{markInvisible(name)}</code>
    {required && <span class="muted"> required</span>}
  </>
)

function FieldDescription({ id, text, limits }: { id: string; text: string | undefined; limits: string | undefined }) {
  const words = [text, limits].filter(part => part !== undefined).join(' ')
  return words === '' ? null : (
    <p class="field-about" id={`${id}-about`}>
      {markInvisible(words)}
    </p>
  )
}

/** Shows the errors at a path. */
export function FieldErrors({ id, form, place }: { id: string; form: Form; place: JsonPath }) {
  const faults = form.errorsAt(place)
  return (
    <div id={`${id}-fault`} class="fault" aria-live="polite">
      {faults.map(message => (
        <p key={message}>{message}</p>
      ))}
    </div>
  )
}

/** Returns the ARIA attributes that link an input to its description and errors. */
export const inputAttributes = (id: string, form: Form, place: JsonPath, kind = '') => ({
  id,
  name: toPointer(place),
  class: `input ${kind}`,
  'aria-describedby': `${id}-about ${id}-fault`,
  'aria-invalid': form.errorsAt(place).length > 0
})

function renderControl(field: Field, props: FieldProps & { id: string }) {
  switch (field.kind) {
    case 'text':
      return <TextControl {...props} field={field} />
    case 'number':
      return <NumberControl {...props} field={field} />
    case 'flag':
      return <BooleanControl {...props} field={field} />
    case 'choice':
      return <SelectControl {...props} field={field} />
    case 'list':
      return <ListControl {...props} field={field} />
    case 'table':
      return <ObjectControl {...props} field={field} />
    case 'map':
      return <MapControl {...props} field={field} />
    case 'variant':
      return <VariantControl {...props} field={field} />
    case 'json':
      return <JsonControl {...props} />
  }
}

const isGroup = ({ kind }: Field) => kind === 'list' || kind === 'table' || kind === 'map' || kind === 'variant'

function formatLimits(field: Field): string | undefined {
  if (field.kind !== 'number') return undefined
  const { minimum, maximum } = field
  if (minimum !== undefined && maximum !== undefined) return `From ${minimum} to ${maximum}.`
  if (minimum !== undefined) return `${minimum} or more.`
  return maximum === undefined ? undefined : `${maximum} or less.`
}
