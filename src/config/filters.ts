// Auto-approve filters: shorthand for rules with a pattern on the subject of a tool's call.
import { type Static, Type } from 'typebox'
import type { ConfiguredRule } from '../protocol/rules.ts'

const Patterns = (effect: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description: `Patterns of calls that are ${effect}.` }))

export const Filters = Type.Record(
  Type.String(),
  Type.Object(
    { allow: Patterns('allowed without approval'), deny: Patterns('refused') },
    { additionalProperties: false }
  ),
  {
    default: {},
    description:
      'Patterns for the main param of a tool, by native name or toolset name of the tool. They are short forms of rules ' +
      'that allow or deny calls.'
  }
)
export type Filters = Static<typeof Filters>

/** Expands filters to rules, each with its location. */
export const expandFilters = (filters: Filters): { rule: ConfiguredRule; at: (string | number)[] }[] =>
  Object.entries(filters).flatMap(([tool, patterns]) =>
    (['deny', 'allow'] as const).flatMap(effect =>
      (patterns[effect] ?? []).map((pattern, index) => ({
        rule: { effect, match: { tool, pattern } },
        at: ['filters', tool, effect, index]
      }))
    )
  )
