// One field of a form: its name, what it is for, its control, and what is wrong with it.
import { useId } from 'preact/hooks'
import { marked } from '../text/invisible.tsx'
import { Choice, Flag, NumberText, Text } from './controls.tsx'
import type { Form } from './form.ts'
import { JsonText } from './json-control.tsx'
import { type Place, pointerOf } from './json-path.ts'
import { List, NamedValues, Table, Variant } from './nested-controls.tsx'
import { descriptionOf, type Field, fieldOf, fits, type Schema } from './schema.ts'

export interface FieldProps {
  form: Form
  place: Place
  name: string
  schema: Schema
  required: boolean
  /** The name is said by what is around it, as that of a list's items; it is still read out. */
  quiet?: boolean
}

/** What every control is given. */
export interface ControlProps<K extends Field['kind']> extends FieldProps {
  id: string
  field: Extract<Field, { kind: K }>
}

export function FieldAt(props: FieldProps) {
  const { form, place, name, schema, required, quiet } = props
  const id = useId()
  const value = form.at(place)
  const wanted = fieldOf(schema, form.schema)
  const field: Field = value === undefined || fits(wanted, value, form.schema) ? wanted : { kind: 'json' }
  const about = <About id={id} text={descriptionOf(schema, form.schema)} limits={limitsOf(field)} />
  const control = controlFor(field, { ...props, id })
  if (isGroup(field))
    return (
      <fieldset class="field field-group" aria-describedby={`${id}-about`}>
        <legend class={quiet ? 'spoken' : undefined}>
          <Name name={name} required={required} />
        </legend>
        <div class="field-nest">
          {about}
          {control}
          {/* The one kind that was chosen stands at the same place, and tells it. */}
          {(field.kind !== 'variant' || value === undefined) && <Help id={id} form={form} place={place} />}
        </div>
      </fieldset>
    )
  return (
    <div class="field">
      <label for={id} class={quiet ? 'spoken' : undefined}>
        <Name name={name} required={required} />
      </label>
      {about}
      {control}
      <Help id={id} form={form} place={place} />
    </div>
  )
}

const Name = ({ name, required }: { name: string; required: boolean }) => (
  <>
    <code>{marked(name)}</code>
    {required && <span class="muted"> required</span>}
  </>
)

function About({ id, text, limits }: { id: string; text: string | undefined; limits: string | undefined }) {
  const words = [text, limits].filter(part => part !== undefined).join(' ')
  return words === '' ? null : (
    <p class="field-about" id={`${id}-about`}>
      {marked(words)}
    </p>
  )
}

/** What is wrong with what stands at a place. */
export function Help({ id, form, place }: { id: string; form: Form; place: Place }) {
  const faults = form.faultsAt(place)
  return (
    <div id={`${id}-fault`} class="fault" aria-live="polite">
      {faults.map(message => (
        <p key={message}>{message}</p>
      ))}
    </div>
  )
}

/** What says of an input what it is for and what is wrong with it. */
export const described = (id: string, form: Form, place: Place, kind = '') => ({
  id,
  name: pointerOf(place),
  class: `input ${kind}`,
  'aria-describedby': `${id}-about ${id}-fault`,
  'aria-invalid': form.faultsAt(place).length > 0
})

function controlFor(field: Field, props: FieldProps & { id: string }) {
  switch (field.kind) {
    case 'text':
      return <Text {...props} field={field} />
    case 'number':
      return <NumberText {...props} field={field} />
    case 'flag':
      return <Flag {...props} field={field} />
    case 'choice':
      return <Choice {...props} field={field} />
    case 'list':
      return <List {...props} field={field} />
    case 'table':
      return <Table {...props} field={field} />
    case 'map':
      return <NamedValues {...props} field={field} />
    case 'variant':
      return <Variant {...props} field={field} />
    case 'json':
      return <JsonText {...props} />
  }
}

const isGroup = ({ kind }: Field) => kind === 'list' || kind === 'table' || kind === 'map' || kind === 'variant'

function limitsOf(field: Field): string | undefined {
  if (field.kind !== 'number') return undefined
  const { minimum, maximum } = field
  if (minimum !== undefined && maximum !== undefined) return `From ${minimum} to ${maximum}.`
  if (minimum !== undefined) return `${minimum} or more.`
  return maximum === undefined ? undefined : `${maximum} or less.`
}
