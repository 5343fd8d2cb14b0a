// Saved rules: who added them, when, and how often they applied; adds and revokes them.
import { type Signal, useSignal } from '@preact/signals'
import { Fragment } from 'preact'
import { useEffect } from 'preact/hooks'
import type { SavedRule } from '../../src/client/client.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { onEvent } from '../store/updates.ts'
import { formatDateTime } from '../text/format.ts'
import { markInvisible } from '../text/invisible.tsx'
import { AddRule } from './add-rule.tsx'
import { formatEnd, formatLimit, formatMatch, formatScope, formatUse } from './format-rule.ts'
import { RevokeRule } from './revoke-rule.tsx'
import { RuleRow } from './rule-row.tsx'

/** Time before the uses of rules are loaded again while calls end. */
const REFRESH_MS = 1_000

export function Rules() {
  const { rules, fault } = useRules()
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
      {rules?.length === 0 && (
        <div class="empty">
          <h2>No rules yet</h2>
          <p>Approve a call with Always, or add a rule. The rule is listed here until you revoke it.</p>
        </div>
      )}
      {rules && rules.length > 0 && <RuleTable rules={rules} revoking={revoking} />}
      {adding.value && <AddRule onClose={() => (adding.value = false)} />}
      {revoking.value && <RevokeRule rule={revoking.value} onClose={() => (revoking.value = undefined)} />}
    </div>
  )
}

function RuleTable({ rules, revoking }: { rules: readonly SavedRule[]; revoking: Signal<SavedRule | undefined> }) {
  return (
    <ul class="rules">
      {rules.map(rule => (
        <RuleRow
          key={rule.rule_id}
          rule={rule}
          details={
            <p class="muted small">
              {[
                formatScope(rule),
                formatEnd(rule),
                formatLimit(rule),
                formatUse(rule),
                `created by ${rule.created_by}, ${formatDateTime(rule.created_at)}`,
                rule.reason
              ]
                .filter(detail => detail !== undefined)
                .map((detail, i) => (
                  <Fragment key={detail}>
                    {i > 0 && ' · '}
                    {markInvisible(detail)}
                  </Fragment>
                ))}
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
  )
}

function useRules() {
  const known = useSignal<readonly SavedRule[] | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const ask = async () => {
      try {
        known.value = (await client().rules()).toReversed()
        fault.value = undefined
      } catch (error) {
        fault.value = toErrorMessage(error)
      }
    }
    void ask()
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer = undefined
      void ask()
    }
    const forget = onEvent(({ type }) => {
      if (type === 'rules.changed') void ask()
      else if (type === 'tool.result') timer ??= setTimeout(refresh, REFRESH_MS)
    })
    return () => {
      clearTimeout(timer)
      forget()
    }
  }, [])
  return { rules: known.value, fault: fault.value }
}
