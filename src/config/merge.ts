// Defaults, and laying one source over another.
import type { Static } from 'typebox'
import type { Config } from './schema.ts'

export type ConfigDraft = Static<typeof Config>

interface Schema {
  default?: unknown
  properties?: Record<string, Schema>
}

/** Every default that the schema states, sections filled in. */
export function defaultsFromSchema(schema: typeof Config): ConfigDraft {
  return collectDefaults(schema as Schema) as ConfigDraft
}

function collectDefaults({ properties = {} }: Schema): Record<string, unknown> {
  const stated = Object.entries(properties).filter(([, { default: value }]) => value !== undefined)
  return Object.fromEntries(
    stated.map(([key, field]) => [key, field.properties ? collectDefaults(field) : structuredClone(field.default)])
  )
}

/** Lays `value` over `draft`: sections and tables by key, everything else as a whole. Rules are kept apart by tier. */
export function mergeInto(draft: object, value: object): void {
  const target = draft as Record<string, unknown>
  for (const [key, given] of Object.entries(value)) {
    const now = target[key]
    if (isPlainObject(now) && isPlainObject(given)) mergeInto(now, given)
    else target[key] = structuredClone(given)
  }
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
