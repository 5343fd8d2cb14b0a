// Reads and changes values at paths within JSON, and formats paths as JSON Pointers.

export type JsonPath = readonly (string | number)[]

/** Formats a path according to RFC 6901. */
export const toPointer = (place: JsonPath): string =>
  place.map(part => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export function valueAt(value: unknown, place: JsonPath): unknown {
  let at = value
  for (const part of place) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    at = (at as Record<string | number, unknown>)[part]
  }
  return at
}

/** Returns a copy of the value with another one at the path; `undefined` removes it. */
export function withValueAt(value: unknown, place: JsonPath, next: unknown): unknown {
  const [part, ...rest] = place
  if (part === undefined) return next
  const inner = withValueAt(valueAt(value, [part]), rest, next)
  if (typeof part === 'number') {
    const list = Array.isArray(value) ? value : []
    return inner === undefined ? list.toSpliced(part, 1) : [...list.slice(0, part), inner, ...list.slice(part + 1)]
  }
  const entries = Object.entries((value ?? {}) as Record<string, unknown>)
  if (inner === undefined) return Object.fromEntries(entries.filter(([name]) => name !== part))
  const known = entries.some(([name]) => name === part)
  return Object.fromEntries(
    known ? entries.map(([name, old]) => [name, name === part ? inner : old]) : [...entries, [part, inner]]
  )
}

/** Returns a copy with a key of the object at the path renamed, in the same order. */
export function withRenamedKey(value: unknown, place: JsonPath, from: string, to: string): unknown {
  const table = valueAt(value, place) as Record<string, unknown>
  const renamed = Object.entries(table).map(([name, at]) => [name === from ? to : name, at])
  return withValueAt(value, place, Object.fromEntries(renamed))
}
