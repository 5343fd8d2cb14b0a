// Defaults, and merging of sources by precedence.
import type { Static } from 'typebox'
import type { Config } from './schema.ts'

export type ConfigDraft = Static<typeof Config>

interface Schema {
  default?: unknown
  properties?: Record<string, Schema>
}

/** Collects all defaults of the schema, with filled-in sections. */
export function defaultsFromSchema(schema: typeof Config): ConfigDraft {
  return collectDefaults(schema as Schema) as ConfigDraft
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
    if (isPlainObject(now) && isPlainObject(given)) mergeInto(now, given)
    else target[key] = structuredClone(given)
  }
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
