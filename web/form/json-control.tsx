// A value as JSON, for schemas that no field can show and for users who prefer it.
import { useSignal } from '@preact/signals'
import { isExactNumber } from '../../src/text/exact-number.ts'
import { inputAttributes } from './field.tsx'
import type { Form } from './form.ts'
import type { JsonPath } from './json-path.ts'

export function JsonControl({ form, place, id }: { form: Form; place: JsonPath; id: string }) {
  const value = form.at(place)
  const typed = useSignal('')
  const draft = form.draftAt(place)
  const written = value === undefined ? '' : JSON.stringify(value, null, 2)
  const isTyped = typed.value !== '' && draft === undefined && tryParse(typed.value)?.json === JSON.stringify(value)
  return (
    <textarea
      rows={3}
      spellcheck={false}
      placeholder="not set"
      {...inputAttributes(id, form, place, 'json')}
      value={draft ?? (isTyped ? typed.value : written)}
      onInput={({ currentTarget }) => {
        const text = currentTarget.value
        typed.value = text
        const found = tryParse(text)
        if (text.trim() === '') form.set(place, undefined)
        else if (found) form.set(place, found.value)
        else form.setDraft(place, text, parseError(text))
      }}
    />
  )
}

function tryParse(text: string): { value: unknown; json: string } | undefined {
  try {
    const value: unknown = JSON.parse(text, keepExact)
    return { value, json: JSON.stringify(value) }
  } catch {
    return undefined
  }
}

function parseError(text: string): string {
  try {
    JSON.parse(text, keepExact)
    return ''
  } catch (error) {
    return error instanceof InexactNumberError ? error.message : `is not valid JSON: ${(error as Error).message}`
  }
}

class InexactNumberError extends Error {}

/** Refuses a number that would be sent with other digits. */
function keepExact(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === 'number' && context?.source !== undefined && !isExactNumber(context.source))
    throw new InexactNumberError(`cannot represent ${context.source} exactly as a number: write the number as a string`)
  return value
}
