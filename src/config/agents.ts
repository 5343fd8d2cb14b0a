// Configuration of agents: visible and permitted tools, and rules per agent.

import { type Static, Type } from 'typebox'
import { ConfiguredRule } from '../protocol/rules.ts'
import { SESSION_MODES } from '../protocol/session-mode.ts'
import { expandFilters, type Filters } from './filters.ts'

const Globs = Type.Array(Type.String())

const Agent = Type.Object(
  {
    description: Type.Optional(Type.String({ maxLength: 1_024, description: 'Purpose of the agent.' })),
    tools: Type.Optional(
      Type.Object(
        { allow: Type.Optional(Globs), deny: Type.Optional(Globs) },
        {
          additionalProperties: false,
          description: 'Globs for tool names. Default: all tools. `deny` takes precedence over `allow`.'
        }
      )
    ),
    rules: Type.Optional(
      Type.Array(ConfiguredRule, {
        description: 'Rules for calls of this agent. They have the same rank as other rules in the file.'
      })
    ),
    read_only: Type.Optional(
      Type.Boolean({
        description: 'Deny all calls of the agent except reads, as the setting `read_only` does for all agents.'
      })
    ),
    mode: Type.Optional(
      Type.Enum([...SESSION_MODES], {
        description: "Default mode of the agent's sessions, instead of `approval.mode`."
      })
    ),
    toolset: Type.Optional(Type.String({ description: "Default toolset of the agent's requests." }))
  },
  { additionalProperties: false }
)
type Agent = Static<typeof Agent>

/** Entry for every agent without an explicit one. */
const WILDCARD_AGENT = '*'

export const Agents = Type.Record(Type.String(), Agent, {
  default: {},
  description:
    'Agents by name, with their tools, rules and limits. `*` applies to agents without an entry. See the agents page.'
})
export type Agents = Static<typeof Agents>

/** The identity of a caller. */
export interface AgentIdentity {
  agent?: string | undefined
  /** False for an agent, also for an anonymous one. An anonymous caller that may approve is a person. */
  may_approve?: boolean | undefined
}

/** Returns the name of the entry that applies to this agent; undefined if there is none. */
export function findAgentEntryName(agents: object, { agent, may_approve }: AgentIdentity): string | undefined {
  if (agent === undefined && may_approve !== false) return undefined
  if (agent !== undefined && Object.hasOwn(agents, agent)) return agent
  return Object.hasOwn(agents, WILDCARD_AGENT) ? WILDCARD_AGENT : undefined
}

export function findAgentEntry(agents: Agents, asker: AgentIdentity): Agent | undefined {
  const name = findAgentEntryName(agents, asker)
  return name === undefined ? undefined : agents[name]
}

/** A rule with the entry of `agents` that contains it: it applies only to that entry's calls. */
export type TierRule = ConfiguredRule & { for_agent?: string }

interface RuleSections {
  rules?: ConfiguredRule[] | undefined
  filters?: Filters | undefined
  agents?: Agents | undefined
}

/** Returns all rules of a file, each with its location. */
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

/** Returns the part that is merged across files: everything except rules, which are ranked by file. */
export function omitRules<T extends RuleSections>(value: T): T {
  const { rules: _rules, filters: _filters, ...rest } = value
  if (rest.agents === undefined) return rest as T
  const agents = Object.entries(rest.agents).map(([name, { rules: __, ...agent }]) => [name, agent])
  return { ...rest, agents: Object.fromEntries(agents) } as T
}

/** Returns true if an untrusted workspace's entry would shadow another one that applies to the agent: it is not allowed. */
export const shadowsWildcard = (agents: object, name: string) =>
  Object.hasOwn(agents, WILDCARD_AGENT) && !Object.hasOwn(agents, name)
