// Describes a rule in words, and counts its uses.
import type { Call, SavedRule } from '../../src/client/client.ts'
import { lastSegments } from '../text/paths.ts'

type Match = SavedRule['match']

/** Formats each field of a match, in the order of a sentence. */
const FIELD_FORMATTERS: { [K in keyof Required<Match>]: (value: NonNullable<Match[K]>, match: Match) => string } = {
  tool: value => value,
  category: value => `category ${value}`,
  effect: value => `effect ${value}`,
  command: (value, { mode }) => (mode === 'prefix' ? `commands that begin with ${value}` : `the command ${value}`),
  mode: () => '',
  pattern: (value, { param }) => `${param ?? 'param'} matches ${value}`,
  param: () => '',
  path: value => `on ${value}`,
  host: value => `to ${value}`,
  method: value => `by ${value}`,
  cwd: value => `in ${value}`,
  isolation: value => `with isolation ${value}`,
  network: value => `with network access to ${value.join(', ')}`,
  ports: value => `with ${value.length === 1 ? 'port' : 'ports'} ${value.join(', ')} reachable`,
  definition: () => 'with its current definition',
  sources: () => 'while what it executes is unchanged',
  agent: value => `sent by agent ${value}`,
  client: value => `sent by ${value}`
}

export function formatMatch(match: Match): string {
  const words = Object.entries(FIELD_FORMATTERS).flatMap(([key, say]) => {
    const value = match[key as keyof Match]
    return value === undefined ? [] : [(say as (value: unknown, match: Match) => string)(value, match)]
  })
  return words.filter(Boolean).join(', ') || 'every call'
}

export const formatScope = ({ scope, session_id, workspace }: SavedRule): string =>
  scope === 'user'
    ? 'everywhere'
    : scope === 'workspace'
      ? `in ${lastSegments(workspace ?? '')}`
      : `in session ${session_id}`

/** Calls that a rule allowed. */
export interface RuleUses {
  count: number
  /** Time of the last one. */
  last_at: string
}

/** Counts the calls that each rule allowed, newest call first. */
export function countUses(calls: readonly Call[]): ReadonlyMap<string, RuleUses> {
  const uses = new Map<string, RuleUses>()
  for (const call of calls) {
    if (!('approved_by' in call) || call.approved_by?.source !== 'rule') continue
    const { rule_id } = call.approved_by
    if (rule_id === undefined) continue
    const { count, last_at } = uses.get(rule_id) ?? { count: 0, last_at: call.created_at }
    uses.set(rule_id, { count: count + 1, last_at })
  }
  return uses
}
