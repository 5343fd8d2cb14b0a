// Saved rules: who added them, when, and how often they applied; adds and revokes them.
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { SavedRule } from '../../src/client/client.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { onEvent } from '../store/updates.ts'
import { formatDateTime } from '../text/format.ts'
import { markInvisible } from '../text/invisible.tsx'
import { AddRule } from './add-rule.tsx'
import { countUses, formatMatch, formatScope, type RuleUses } from './format-rule.ts'
import { RevokeRule } from './revoke-rule.tsx'
import { RuleRow } from './rule-row.tsx'

/** Number of the newest calls that are searched for uses. */
const USAGE_WINDOW = 500

interface RulesWithUsage {
  rules: readonly SavedRule[]
  uses: ReadonlyMap<string, RuleUses>
}

export function Rules() {
  const { known, fault } = useRules()
  const adding = useSignal(false)
  const revoking = useSignal<SavedRule | undefined>(undefined)
  return (
    <div class="sheet">
      <header class="sheet-head">
        <h1>Rules</h1>
        <button type="button" class="button" onClick={() => (adding.value = true)}>
          Add a rule…
        </button>
      </header>
      <p class="muted">
        Rules that were saved by approving with "always", or added here or on the command line. Rules in configuration
        files are not listed.
      </p>
      {fault !== undefined && <p class="notice bad">{fault}</p>}
      {known?.rules.length === 0 && (
        <div class="empty">
          <h2>No rules yet</h2>
          <p>Approve a call with Always, or add a rule. The rule is listed here until you revoke it.</p>
        </div>
      )}
      {known && known.rules.length > 0 && <RuleTable known={known} revoking={revoking} />}
      {adding.value && <AddRule onClose={() => (adding.value = false)} />}
      {revoking.value && <RevokeRule rule={revoking.value} onClose={() => (revoking.value = undefined)} />}
    </div>
  )
}

function RuleTable({
  known: { rules, uses },
  revoking
}: {
  known: RulesWithUsage
  revoking: Signal<SavedRule | undefined>
}) {
  return (
    <>
      <ul class="rules">
        {rules.map(rule => (
          <RuleRow
            key={rule.rule_id}
            rule={rule}
            details={
              <p class="muted small">
                {formatScope(rule)} · created by {rule.created_by}, {formatDateTime(rule.created_at)} ·{' '}
                {rule.expires_at === null ? 'until revoked' : `until ${formatDateTime(rule.expires_at)}`} ·{' '}
                {formatUses(uses.get(rule.rule_id), rule)}
                {rule.reason !== undefined && <> · {markInvisible(rule.reason)}</>}
              </p>
            }
          >
            <button
              type="button"
              class="button danger"
              aria-label={`Revoke: ${rule.effect} ${formatMatch(rule.match)}`}
              onClick={() => (revoking.value = rule)}
            >
              Revoke…
            </button>
          </RuleRow>
        ))}
      </ul>
      <p class="muted small">Uses are counted in the newest {USAGE_WINDOW} calls.</p>
    </>
  )
}

/** The log records the rule that allowed a call, but none that ask or deny. */
const formatUses = (uses: RuleUses | undefined, { effect }: SavedRule) =>
  effect !== 'allow'
    ? 'uses unknown'
    : uses === undefined
      ? 'not used recently'
      : `used ${uses.count === 1 ? 'once' : `${uses.count} times`}, last ${formatDateTime(uses.last_at)}`

function useRules() {
  const known = useSignal<RulesWithUsage | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const ask = async () => {
      try {
        const [rules, { calls }] = await Promise.all([client().rules(), client().calls({ limit: USAGE_WINDOW })])
        known.value = { rules: rules.toReversed(), uses: countUses(calls) }
        fault.value = undefined
      } catch (error) {
        fault.value = toErrorMessage(error)
      }
    }
    void ask()
    return onEvent(({ type }) => {
      if (type === 'rules.changed') void ask()
    })
  }, [])
  return { known: known.value, fault: fault.value }
}
