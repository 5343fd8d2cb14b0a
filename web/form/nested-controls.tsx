// Controls for nested values: lists, objects, maps and variants.
import { useSignal } from '@preact/signals'
import { type ControlProps, FormField, inputAttributes } from './field.tsx'
import { findVariant, initialValue, isPlainObject, variantLabel } from './schema.ts'

export function ListControl({ form, place, name, required, field: { item } }: ControlProps<'list'>) {
  const items = (form.at(place) ?? []) as unknown[]
  const add = () => form.set([...place, items.length], initialValue(item, form.schema))
  const remove = (index: number) =>
    items.length === 1 && !required ? form.set(place, undefined) : form.set([...place, index], undefined)
  return (
    <>
      {items.map((_, index) => (
        <div class="field-item" key={index}>
          <FormField
            form={form}
            place={[...place, index]}
            name={`${name} ${index + 1}`}
            schema={item}
            required
            hideName
          />
          <button
            type="button"
            class="button quiet"
            aria-label={`Remove ${name} ${index + 1}`}
            onClick={() => remove(index)}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" class="button quiet" aria-label={`Add to ${name}`} onClick={add}>
        Add
      </button>
    </>
  )
}

export function ObjectControl({ form, place, name, schema, required, field: { properties } }: ControlProps<'table'>) {
  const value = form.at(place)
  if (value === undefined)
    return (
      <button
        type="button"
        class="button quiet"
        aria-label={`Set ${name}`}
        onClick={() => form.set(place, initialValue(schema, form.schema))}
      >
        Set
      </button>
    )
  const unknown = Object.keys(isPlainObject(value) ? value : {}).filter(
    key => !properties.some(property => property.name === key)
  )
  return (
    <>
      {properties.map(property => (
        <FormField key={property.name} form={form} place={[...place, property.name]} {...property} />
      ))}
      {unknown.map(key => (
        <FormField
          key={key}
          form={form}
          place={[...place, key]}
          name={key}
          schema={{ description: 'Not a parameter of this tool.' }}
          required={false}
        />
      ))}
      {!required && (
        <button
          type="button"
          class="button quiet"
          aria-label={`Unset ${name}`}
          onClick={() => form.set(place, undefined)}
        >
          Unset
        </button>
      )}
    </>
  )
}

export function MapControl({ form, place, name, required, id, field: { item } }: ControlProps<'map'>) {
  const value = (form.at(place) ?? {}) as Record<string, unknown>
  const names = Object.keys(value)
  const fault = useSignal('')
  const add = () => form.set([...place, unusedName(names)], initialValue(item, form.schema))
  const remove = (key: string) =>
    names.length === 1 && !required ? form.set(place, undefined) : form.set([...place, key], undefined)
  const rename = (from: string, input: HTMLInputElement) => {
    const to = input.value
    fault.value = to !== from && names.includes(to) ? `${to} already exists` : ''
    if (fault.value === '') form.rename(place, from, to)
    else input.value = from
  }
  return (
    <>
      {names.map((key, index) => (
        // Keyed by index: a name may change while its value is being typed.
        <div class="field-item" key={index}>
          <input
            type="text"
            class="input"
            aria-label={`Name ${index + 1} of ${name}`}
            aria-describedby={`${id}-name`}
            value={key}
            spellcheck={false}
            onChange={({ currentTarget }) => rename(key, currentTarget)}
          />
          <FormField form={form} place={[...place, key]} name={`${name} ${key}`} schema={item} required hideName />
          <button type="button" class="button quiet" aria-label={`Remove ${key}`} onClick={() => remove(key)}>
            Remove
          </button>
        </div>
      ))}
      <p class="fault" id={`${id}-name`} aria-live="polite">
        {fault.value}
      </p>
      <button type="button" class="button quiet" aria-label={`Add to ${name}`} onClick={add}>
        Add
      </button>
    </>
  )
}

function unusedName(names: readonly string[]): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? 'name' : `name${n}`
    if (!names.includes(name)) return name
  }
}

export function VariantControl({ form, place, name, required, id, field: { options } }: ControlProps<'variant'>) {
  const value = form.at(place)
  const chosen = value === undefined ? -1 : findVariant(options, value, form.schema)
  const option = options[chosen]
  const choose = (index: number) =>
    form.set(place, options[index] === undefined ? undefined : initialValue(options[index], form.schema))
  return (
    <>
      <select
        {...inputAttributes(id, form, place)}
        aria-label={`Type of ${name}`}
        value={String(chosen)}
        onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
      >
        {(!required || chosen < 0) && <option value="-1">{required ? 'choose…' : 'not set'}</option>}
        {options.map((each, index) => (
          <option key={variantLabel(each, form.schema)} value={String(index)}>
            {variantLabel(each, form.schema)}
          </option>
        ))}
      </select>
      {option !== undefined && <FormField form={form} place={place} name={name} schema={option} required hideName />}
    </>
  )
}
