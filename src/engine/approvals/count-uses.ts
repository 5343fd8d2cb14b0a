// Counts a call with the rules that allow it: their uses end them, and their limits make them ask.
import { steadyNow } from '../../steady-time.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import type { PolicyVerdict } from '../policy/policy-input.ts'

/**
 * Counts an allowed call once with each rule that allows it, before the call takes its next step: what is appended to the journal first
 * is durable first. Returns false, and counts nothing, if a rule has been used up, revoked or exhausted since the evaluation.
 */
export function countUses(
  { rules, budgets, journal }: Engine,
  { countedBy }: ActiveCall,
  { allowedBy = [] }: PolicyVerdict
): boolean {
  const now = steadyNow()
  const due = allowedBy.filter(({ rule_id, budget }) => {
    const key = rule_id ?? budget?.rule
    return key !== undefined && !countedBy.has(key)
  })
  const isFree = due.every(
    ({ rule_id, budget }) =>
      (rule_id === undefined || rules.has(rule_id)) && (!budget || budgets.spentUntil(budget, now) === undefined)
  )
  if (!isFree) return false
  for (const { rule_id, budget } of due) {
    const spent = budget ? budgets.count(budget, now) : []
    if (budget) countedBy.set(budget.rule, undefined)
    if (rule_id !== undefined) countedBy.set(rule_id, rules.count(rule_id, spent))
    else journal.append([], () => spent).catch(() => {})
  }
  return true
}
