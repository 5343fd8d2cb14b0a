// Auto-approve filters: shorthand for rules with a pattern on the subject of a tool's call.
import { type Static, Type } from 'typebox'
import type { ConfiguredRule } from '../protocol/rules.ts'

const Patterns = (effect: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description: `Patterns of calls that are ${effect}.` }))

export const Filters = Type.Record(
  Type.String(),
  Type.Object(
    { allow: Patterns('allowed without asking'), deny: Patterns('refused') },
    { additionalProperties: false }
  ),
  {
    default: {},
    description:
      'By the name of a tool, or one that a toolset has for it: patterns on what its calls are about, each short for a rule that allows or denies.'
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
