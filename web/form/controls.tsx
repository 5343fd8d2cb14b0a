// Controls for single values: texts, numbers, choices.
import { useSignal } from '@preact/signals'
import { type ControlProps, inputAttributes } from './field.tsx'

const NOT_SET_LABEL = 'not set'

export function TextControl({ form, place, required, id, field }: ControlProps<'text'>) {
  const value = form.at(place) as string | undefined
  const shared = {
    ...inputAttributes(id, form, place),
    value: value ?? '',
    placeholder: value === '' ? 'empty text' : NOT_SET_LABEL,
    autocomplete: 'off',
    spellcheck: false,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      const text = currentTarget.value
      form.set(place, text === '' && !required ? undefined : withLineEndingsOf(value, text))
    }
  }
  return field.long ? <textarea rows={1} {...shared} /> : <input type="text" {...shared} />
}

/** A text area normalizes line endings to LF; restores those of the original text. */
const withLineEndingsOf = (before: string | undefined, text: string) =>
  before?.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text

export function NumberControl({ form, place, id, field: { whole } }: ControlProps<'number'>) {
  const value = form.at(place) as number | undefined
  const typed = useSignal('')
  const draft = form.draftAt(place)
  const isTyped = typed.value !== '' && Number(typed.value) === value
  return (
    <input
      type="text"
      inputMode={whole ? 'numeric' : 'decimal'}
      autocomplete="off"
      placeholder={NOT_SET_LABEL}
      {...inputAttributes(id, form, place, 'number')}
      value={draft ?? (isTyped ? typed.value : (value ?? ''))}
      onInput={({ currentTarget }) => {
        const text = currentTarget.value
        typed.value = text
        const number = Number(text)
        if (text.trim() === '') form.set(place, undefined)
        else if (whole ? Number.isSafeInteger(number) : Number.isFinite(number)) form.set(place, number)
        else form.setDraft(place, text, whole ? 'must be a whole number' : 'must be a number')
      }}
    />
  )
}

export const BooleanControl = (props: ControlProps<'flag'>) => (
  <SelectControl {...props} field={{ kind: 'choice', options: [true, false] }} />
)

export function SelectControl({ form, place, required, id, field: { options } }: ControlProps<'choice'>) {
  const value = form.at(place)
  const chosen = options.findIndex(option => JSON.stringify(option) === JSON.stringify(value))
  return (
    <select
      {...inputAttributes(id, form, place)}
      value={String(chosen)}
      onChange={({ currentTarget }) => form.set(place, options[Number(currentTarget.value)])}
    >
      {(!required || chosen < 0) && <option value="-1">{required ? 'choose…' : NOT_SET_LABEL}</option>}
      {options.map((option, index) => (
        <option key={index} value={String(index)}>
          {typeof option === 'string' ? option : JSON.stringify(option)}
        </option>
      ))}
    </select>
  )
}
