// State of one form: the value of its fields, drafts, and validation errors.
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { Problem } from '../../src/client/client.ts'
import { type JsonPath, toPointer, valueAt, withRenamedKey, withValueAt } from './json-path.ts'
import { initialValue, isPlainObject, type Schema, toField } from './schema.ts'

export type FormFieldError = NonNullable<Problem['errors']>[number]

/** Text that is not yet a valid value of its field. */
interface InvalidDraft {
  text: string
  error: string
}

export class Form {
  readonly schema: Schema
  /** The value to send. Drafts are no part of it: check `errors` first. */
  readonly value: ReadonlySignal<unknown>
  /** Errors that prevent sending, and those from the server. */
  readonly errors: ReadonlySignal<FormFieldError[]>
  readonly #value: Signal<unknown>
  readonly #drafts = signal<ReadonlyMap<string, InvalidDraft>>(new Map())
  readonly #serverErrors = signal<FormFieldError[]>([])

  /** Creates a form for a schema, filled with `value` if given. */
  constructor(schema: Schema, value: unknown = initialValue(schema, schema)) {
    this.schema = schema
    this.#value = signal(value)
    this.value = this.#value
    this.errors = computed(() => [
      ...[...this.#drafts.value].map(([pointer, { error }]) => ({ pointer, message: error })),
      ...this.#serverErrors.value
    ])
  }

  /** Returns whether there is a draft, so that the value is incomplete. */
  get hasDrafts(): boolean {
    return this.#drafts.value.size > 0
  }

  at(place: JsonPath): unknown {
    return valueAt(this.value.value, place)
  }

  draftAt(place: JsonPath): string | undefined {
    return this.#drafts.value.get(toPointer(place))?.text
  }

  errorsAt(place: JsonPath): string[] {
    const pointer = toPointer(place)
    return this.errors.value.filter(fault => fault.pointer === pointer).map(({ message }) => message)
  }

  /** Returns the errors that no field can show. */
  get unattachedErrors(): FormFieldError[] {
    return this.errors.value.filter(({ pointer }) => !hasField(this.schema, this.schema, this.value.value, pointer))
  }

  set(place: JsonPath, value: unknown) {
    this.#value.value = withValueAt(this.#value.value, place, value)
    // The items after a removed one change their paths.
    const moves = value === undefined && typeof place.at(-1) === 'number'
    this.#clearBelow(moves ? place.slice(0, -1) : place)
  }

  /** Stores text that is not yet a value, and the reason. */
  setDraft(place: JsonPath, text: string, error: string) {
    this.#drafts.value = new Map([...this.#drafts.value, [toPointer(place), { text, error }]])
  }

  rename(place: JsonPath, from: string, to: string) {
    this.#value.value = withRenamedKey(this.#value.value, place, from, to)
    this.#clearBelow(place)
  }

  /** Shows errors from the server. `root` is the path of the form's value in the request, such as `/params`. */
  setErrors(faults: readonly FormFieldError[], root: string) {
    this.#serverErrors.value = faults.map(({ pointer, message }) => ({
      pointer: pointer.startsWith(root) ? pointer.slice(root.length) : pointer,
      message
    }))
  }

  /** Drafts and errors at a path and under it do not apply to the new value. */
  #clearBelow(place: JsonPath) {
    const pointer = toPointer(place)
    const stays = (other: string) => other !== pointer && !other.startsWith(`${pointer}/`)
    this.#drafts.value = new Map([...this.#drafts.value].filter(([other]) => stays(other)))
    this.#serverErrors.value = this.#serverErrors.value.filter(fault => stays(fault.pointer))
  }
}

/** Returns whether the form has a field for a pointer. */
function hasField(schema: Schema, root: Schema, value: unknown, pointer: string): boolean {
  const [, name, ...rest] = pointer.split('/').map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (name === undefined) return true
  const beneath = rest.length === 0 ? '' : pointer.slice(pointer.indexOf('/', 1))
  const field = toField(schema, root)
  if (field.kind === 'table') {
    const property = field.properties.find(property => property.name === name)
    if (property) return hasField(property.schema, root, valueAt(value, [name]), beneath)
    return isPlainObject(value) && Object.hasOwn(value, name)
  }
  if (field.kind === 'list') {
    const index = Number(name)
    return Array.isArray(value) && index in value && hasField(field.item, root, value[index], beneath)
  }
  if (field.kind === 'map')
    return isPlainObject(value) && Object.hasOwn(value, name) && hasField(field.item, root, value[name], beneath)
  return false
}
