// What each agent may see and call, and the rules for it alone.
import { type Static, Type } from 'typebox'
import { expandFilters, type Filters } from './filters.ts'
import { ConfiguredRule } from './rules.ts'

const Globs = Type.Array(Type.String())

const Agent = Type.Object(
  {
    description: Type.Optional(Type.String({ maxLength: 1_024, description: 'What it is for, for people.' })),
    tools: Type.Optional(
      Type.Object(
        { allow: Type.Optional(Globs), deny: Type.Optional(Globs) },
        {
          additionalProperties: false,
          description: 'Globs over the names of tools. No `allow` list means all; `deny` wins.'
        }
      )
    ),
    rules: Type.Optional(
      Type.Array(ConfiguredRule, { description: 'Rules for its calls alone, of the same rank as others in the file.' })
    ),
    read_only: Type.Optional(
      Type.Boolean({ description: 'Refuse every call of it that is not a read, as `read_only` does for all.' })
    ),
    toolset: Type.Optional(
      Type.String({ description: 'The toolset that it is listed and speaks, where a request names none.' })
    )
  },
  { additionalProperties: false }
)
type Agent = Static<typeof Agent>

/** The entry for every agent that has none of its own. */
const WILDCARD_AGENT = '*'

export const Agents = Type.Record(Type.String(), Agent, {
  default: {},
  description:
    'By the name of an agent: its tools, its rules, what it may do at most. `*` is for each that has no entry of its own; see the agents page.'
})
export type Agents = Static<typeof Agents>

/** Whose call it is. */
export interface AgentIdentity {
  agent?: string | undefined
  /** False for an agent, also for one that does not say its name. Whoever may decide and says none is a person. */
  may_approve?: boolean | undefined
}

/** The name of the entry that speaks of this agent; undefined where none does. */
export function findAgentEntryName(agents: object, { agent, may_approve }: AgentIdentity): string | undefined {
  if (agent === undefined && may_approve !== false) return undefined
  if (agent !== undefined && Object.hasOwn(agents, agent)) return agent
  return Object.hasOwn(agents, WILDCARD_AGENT) ? WILDCARD_AGENT : undefined
}

export function findAgentEntry(agents: Agents, asker: AgentIdentity): Agent | undefined {
  const name = findAgentEntryName(agents, asker)
  return name === undefined ? undefined : agents[name]
}

/** A rule with the entry of `agents` that it stands in: it is for the calls that the entry speaks of. */
export type TierRule = ConfiguredRule & { for_agent?: string }

interface RuleSections {
  rules?: ConfiguredRule[] | undefined
  filters?: Filters | undefined
  agents?: Agents | undefined
}

/** All rules of a file, each with where it stands. */
export function locateRules({
  rules = [],
  filters = {},
  agents = {}
}: RuleSections): { rule: TierRule; at: (string | number)[] }[] {
  return [
    ...rules.map((rule, index) => ({ rule, at: ['rules', index] })),
    ...expandFilters(filters),
    ...Object.entries(agents).flatMap(([name, agent]) =>
      (agent.rules ?? []).map((rule, index) => ({
        rule: { ...rule, for_agent: name },
        at: ['agents', name, 'rules', index]
      }))
    )
  ]
}

export const collectRules = (file: RuleSections | undefined): TierRule[] =>
  locateRules(file ?? {}).map(({ rule }) => rule)

/** What of it is merged over several files: all but the rules, which are ranked by their file. */
export function omitRules<T extends RuleSections>(value: T): T {
  const { rules: _rules, filters: _filters, ...rest } = value
  if (rest.agents === undefined) return rest as T
  const agents = Object.entries(rest.agents).map(([name, { rules: __, ...agent }]) => [name, agent])
  return { ...rest, agents: Object.fromEntries(agents) } as T
}

/** A workspace that is not trusted brings no entry for an agent that another one speaks of: that would no longer hold. */
export const shadowsWildcard = (agents: object, name: string) =>
  Object.hasOwn(agents, WILDCARD_AGENT) && !Object.hasOwn(agents, name)
