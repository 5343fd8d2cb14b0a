// Defaults, and merging of sources by precedence.
import { isObject } from '../text/json-object.ts'
import { Config } from './schema.ts'
import { TUNING } from './tuning.ts'

interface Schema {
  default?: unknown
  properties?: Record<string, Schema>
}

/** Returns all defaults, with filled-in sections. */
export function defaultSettings(): Config {
  const defaults = collectDefaults(Config as Schema)
  mergeInto(defaults, TUNING)
  return defaults as Config
}

function collectDefaults({ properties = {} }: Schema): Record<string, unknown> {
  const stated = Object.entries(properties).filter(([, { default: value }]) => value !== undefined)
  return Object.fromEntries(
    stated.map(([key, field]) => [key, field.properties ? collectDefaults(field) : structuredClone(field.default)])
  )
}

/** Merges `value` into `draft`: sections and tables by key, everything else is replaced. Rules stay separate by tier. */
export function mergeInto(draft: object, value: object): void {
  const target = draft as Record<string, unknown>
  for (const [key, given] of Object.entries(value)) {
    const now = target[key]
    if (isObject(now) && isObject(given)) mergeInto(now, given)
    else target[key] = structuredClone(given)
  }
}
