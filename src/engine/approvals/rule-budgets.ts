// Budgets of rules with a limit: the number of calls that each has allowed lately. They persist across restarts.
import { durationMs } from '../../protocol/duration.ts'
import type { RuleLimit } from '../../protocol/rules.ts'
import type { Store } from '../../store/store.ts'
import type { StoreWrite } from '../../store/store-schema.ts'
import type { Budget } from '../policy/policy-input.ts'

/** Number of parts that a period is counted in. A call counts until its part has left the period. */
const PARTS = 60
/** Maximum number of agents or sessions that one rule is counted for. Calls of further ones need approval. */
const MAX_SUBJECTS = 10_000
const MAX_LISTED = 20
const KIND = 'rule budget'

/** Starts of parts in milliseconds, with the number of calls in each. */
interface Spending {
  period_ms: number
  parts: [start: number, calls: number][]
}

export class RuleBudgets {
  readonly #spending = new Map<string, Map<string, Spending>>()
  /** Removes what no longer counts, with the next write. */
  #removals: StoreWrite[] = []

  constructor(store: Pick<Store, 'state'>, now: number) {
    for (const [name, json] of store.state(KIND)) {
      const [rule, subject] = JSON.parse(name) as [string, string]
      const spending = JSON.parse(json) as Spending
      if (countCalls(spending, now) > 0) this.#subjectsOf(rule).set(subject, spending)
      else this.#removals.push(['forgetState', KIND, name])
    }
  }

  /** Returns the time at which the rule may allow a call again; undefined if it may now. */
  spentUntil({ rule, subject, limit }: Budget, now: number): number | undefined {
    const subjects = this.#spending.get(rule)
    const spending = subjects?.get(subject)
    if (!spending) {
      if (subjects === undefined || subjects.size < MAX_SUBJECTS) return undefined
      this.#removeUnused(rule, now)
      return subjects.size < MAX_SUBJECTS ? undefined : now + durationMs(limit.per)
    }
    // A changed limit takes effect at once.
    const current = { ...spending, period_ms: durationMs(limit.per) }
    if (countCalls(current, now) < limit.calls) return undefined
    return endOf(current, current.parts.find(part => endOf(current, part) > now)!)
  }

  /** Counts a call. Returns the writes that persist that. */
  count({ rule, subject, limit }: Budget, now: number): StoreWrite[] {
    const period_ms = durationMs(limit.per)
    const length = period_ms / PARTS
    const start = Math.floor(now / length) * length
    const subjects = this.#subjectsOf(rule)
    const earlier = subjects.get(subject)?.parts.filter(part => endOf({ period_ms }, part) > now) ?? []
    const [last] = earlier.slice(-1)
    const parts: Spending['parts'] =
      last?.[0] === start ? [...earlier.slice(0, -1), [start, last[1] + 1]] : [...earlier, [start, 1]]
    const spending = { period_ms, parts }
    subjects.set(subject, spending)
    const removals = this.#removals
    this.#removals = []
    return [...removals, ['setState', KIND, nameOf(rule, subject), JSON.stringify(spending)]]
  }

  /** Lists the subjects of a rule with the number of calls that count now, highest first. */
  list(rule: string, limit: RuleLimit, now: number): { subject?: string; calls: number }[] {
    const period_ms = durationMs(limit.per)
    return Array.from(this.#spending.get(rule) ?? [], ([subject, { parts }]) => ({
      ...(limit.each !== undefined && { subject: formatSubject(subject) }),
      calls: countCalls({ period_ms, parts }, now)
    }))
      .filter(({ calls }) => calls > 0)
      .sort((a, b) => b.calls - a.calls)
      .slice(0, MAX_LISTED)
  }

  /** Removes the budget of a rule that has ended. Returns the writes that persist that. */
  forget(rule: string): StoreWrite[] {
    const subjects = this.#spending.get(rule)
    this.#spending.delete(rule)
    return Array.from(subjects?.keys() ?? [], subject => ['forgetState', KIND, nameOf(rule, subject)])
  }

  #subjectsOf(rule: string): Map<string, Spending> {
    const known = this.#spending.get(rule) ?? new Map<string, Spending>()
    this.#spending.set(rule, known)
    return known
  }

  #removeUnused(rule: string, now: number) {
    for (const [subject, spending] of this.#subjectsOf(rule)) {
      if (countCalls(spending, now) > 0) continue
      this.#subjectsOf(rule).delete(subject)
      this.#removals.push(['forgetState', KIND, nameOf(rule, subject)])
    }
  }
}

const nameOf = (rule: string, subject: string) => JSON.stringify([rule, subject])

const endOf = ({ period_ms }: Pick<Spending, 'period_ms'>, [start]: Spending['parts'][number]) =>
  start + period_ms / PARTS + period_ms

const countCalls = (spending: Spending, now: number) =>
  spending.parts.reduce((sum, part) => (endOf(spending, part) > now ? sum + part[1] : sum), 0)

/** The subject of a call under a limit: its agent, its session, or all calls. */
export function findBudgetSubject(
  { each }: RuleLimit,
  { agent = '', session_id, workspace, owner = '' }: SubjectOfCall
): string {
  if (each === undefined) return ''
  return JSON.stringify(each === 'agent' ? [agent] : [session_id, workspace, owner])
}

interface SubjectOfCall {
  agent?: string | undefined
  session_id: string
  workspace: string
  owner?: string | undefined
}

const formatSubject = (subject: string): string => (JSON.parse(subject) as string[])[0]!
