// Returns a section of the configuration as requested by a server, such as `python.analysis`.
import { isObject } from '../../../text/json-object.ts'

export function getSection(settings: object, section: string | undefined): unknown {
  let found: unknown = settings
  for (const name of section ? section.split('.') : []) {
    if (!isObject(found)) return null
    found = found[name]
  }
  return found ?? null
}

/** Merges settings deeply; `above` takes precedence. */
export function mergeSettings(below: object, above: object): object {
  const result: Record<string, unknown> = { ...below }
  for (const [name, value] of Object.entries(above)) {
    const own = result[name]
    result[name] = isObject(own) && isObject(value) ? mergeSettings(own, value) : value
  }
  return result
}
