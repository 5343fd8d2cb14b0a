// The narrowest rule that would allow a call, and the past calls that it would have allowed as well.
import { type Client, type Explanation, type NewRule, type RuleTest, ToolgateError } from '../../client/client.ts'
import { oneLine, type Terminal, toSafeJson } from '../ui/terminal.ts'

type AlwaysOption = Explanation['verdict']['always_options'][number]

const TESTED_DAYS = 30
const DAY_MS = 24 * 60 * 60 * 1_000
const LISTED_TITLES = 5
/** Number of changed calls that are requested to find these titles. */
const LISTED_CALLS = 100

/** Tests the rule on the calls of the last 30 days. Returns undefined for a token that may not approve. */
export async function testNarrowestRule(
  client: Client,
  { scope, rule, rules = rule ? [rule] : [] }: AlwaysOption,
  { signal, session_id = 'default', ...where }: { signal: AbortSignal; session_id?: string; workspace?: string }
): Promise<RuleTest | undefined> {
  const added = rules.map((each): NewRule => ({ ...each, ...where, scope, ...(scope === 'session' && { session_id }) }))
  const since = new Date(Date.now() - TESTED_DAYS * DAY_MS).toISOString()
  try {
    return await client.testRules({ rules: added, since, limit: LISTED_CALLS }, { signal })
  } catch (error) {
    if (error instanceof ToolgateError && error.status === 403) return undefined
    throw error
  }
}

/** Prints the rule and what else it would have allowed. */
export function printNarrowestRule(
  terminal: Terminal,
  { label, rule, rules }: AlwaysOption,
  found: RuleTest | undefined
) {
  terminal.print(`\nnarrowest rule: ${oneLine(label)}\n  ${oneLine(toSafeJson(rules ?? rule))}`)
  if (!found) return
  const { changed, changed_total, tested, cut } = found
  const calls = changed_total === 1 ? '1 call' : `${changed_total} calls`
  const from = `of the ${cut ? 'latest ' : ''}${tested} calls in the last ${TESTED_DAYS} days`
  terminal.print(`It would also have allowed ${calls} ${from}${changed_total === 0 ? '.' : ':'}`)
  const counts = Map.groupBy(changed, ({ tool, title }) => `${tool}  ${oneLine(title)}`)
  for (const [title, { length }] of [...counts].sort(([, a], [, b]) => b.length - a.length).slice(0, LISTED_TITLES))
    terminal.print(`  ${length} × ${title}`)
  if (counts.size > LISTED_TITLES) terminal.print(`  and ${counts.size - LISTED_TITLES} other kinds of calls`)
}
