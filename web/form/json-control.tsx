// A value as JSON, for what no field can show and for whoever would rather type it.
import { useSignal } from '@preact/signals'
import { described } from './field.tsx'
import type { Form } from './form.ts'
import type { Place } from './json-path.ts'

export function JsonText({ form, place, id }: { form: Form; place: Place; id: string }) {
  const value = form.at(place)
  const typed = useSignal('')
  const draft = form.draftAt(place)
  const written = value === undefined ? '' : JSON.stringify(value, null, 2)
  const isTyped = typed.value !== '' && draft === undefined && parsed(typed.value)?.json === JSON.stringify(value)
  return (
    <textarea
      rows={3}
      spellcheck={false}
      placeholder="not given"
      {...described(id, form, place, 'json')}
      value={draft ?? (isTyped ? typed.value : written)}
      onInput={({ currentTarget }) => {
        const text = currentTarget.value
        typed.value = text
        const found = parsed(text)
        if (text.trim() === '') form.set(place, undefined)
        else if (found) form.set(place, found.value)
        else form.draft(place, text, faultOf(text))
      }}
    />
  )
}

function parsed(text: string): { value: unknown; json: string } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return { value, json: JSON.stringify(value) }
  } catch {
    return undefined
  }
}

function faultOf(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return `is no JSON yet: ${(error as Error).message}`
  }
}
