// Describes a rule in words: its calls, scope, end and use.
import type { SavedRule } from '../../src/client/client.ts'
import { formatRuleLimit } from '../../src/protocol/format-rule-limit.ts'
import { formatDateTime } from '../text/format.ts'
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

/** Formats when a rule ends. */
export function formatEnd({ expires_at, uses, used }: SavedRule): string {
  const left = uses === undefined ? undefined : uses - used
  const ends = [
    ...(left === undefined ? [] : [`for ${left === 1 ? '1 more call' : `${left} more calls`}`]),
    ...(expires_at === null ? [] : [`until ${formatDateTime(expires_at)}`])
  ]
  return ends.length === 0 ? 'until revoked' : ends.join(', ')
}

/** Formats how often a rule has allowed a call. Those that deny or ask are not counted. */
export function formatUse({ effect, used, last_used_at }: SavedRule): string | undefined {
  if (effect !== 'allow') return undefined
  if (last_used_at === undefined) return 'not used yet'
  return `used ${used === 1 ? 'once' : `${used} times`}, last ${formatDateTime(last_used_at)}`
}

/** Formats how much of a limit is used, per agent or session if those are counted separately. */
export function formatLimit({ limit, spent = [] }: SavedRule): string | undefined {
  if (!limit) return undefined
  const { each } = limit
  const used =
    each === undefined
      ? `${spent[0]?.calls ?? 0} used`
      : spent.map(({ subject, calls: count }) => `${subject || `no ${each}`}: ${count}`).join(', ') || 'none used'
  return `at most ${formatRuleLimit(limit)} (${used})`
}
