// Options for the end of a rule, and how its end is shown.
import type { Command } from 'commander'
import type { AlwaysLimits, SavedRule } from '../../client/client.ts'
import { isDuration } from '../../protocol/duration.ts'
import { formatRuleLimit } from '../../protocol/format-rule-limit.ts'
import { usageError } from '../exit.ts'
import { formatDue } from '../ui/format-time.ts'

export interface EndOptions {
  for?: string
  uses?: string
}

export const addEndOptions = (command: Command): Command =>
  command
    .option('--for <duration>', 'lifetime of the rule, such as 30m, 2h or 7d')
    .option('--uses <number>', 'number of calls that the rule allows before it ends')

export function toEnds({ for: lifetime, uses }: EndOptions): Pick<AlwaysLimits, 'for' | 'uses'> {
  if (lifetime !== undefined && !isDuration(lifetime))
    throw usageError(`Invalid duration: ${lifetime}.`, 'Write the duration as 30m, 2h or 7d.')
  if (uses !== undefined && !/^[1-9]\d{0,6}$/.test(uses))
    throw usageError(`Invalid --uses: ${uses}.`, 'Write a positive integer.')
  return { ...(lifetime !== undefined && { for: lifetime }), ...(uses !== undefined && { uses: Number(uses) }) }
}

/** Formats when a rule ends. */
export function formatEnd({ expires_at, uses, used }: SavedRule): string {
  const ends = [
    ...(uses === undefined ? [] : [`after ${uses - used} more ${uses - used === 1 ? 'use' : 'uses'}`]),
    ...(expires_at === null ? [] : [formatDue(expires_at)])
  ]
  return ends.length === 0 ? 'never' : ends.join(' or ')
}

/** Formats how often a rule has allowed a call, and what is left of its limit. */
export function formatUse({ effect, used, limit, spent = [] }: SavedRule): string {
  if (effect !== 'allow') return ''
  if (!limit) return String(used)
  return `${used} (${spent[0]?.calls ?? 0} of ${formatRuleLimit(limit)})`
}
