// Rules: what was remembered, by whom and when, and how often it spoke; taken back and made here.
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RememberedRule } from '../../src/client/client.ts'
import { client, whatFailed } from '../session/session.ts'
import { onEvent } from '../store/updates.ts'
import { whenOf } from '../text/format.ts'
import { marked } from '../text/invisible.tsx'
import { AddRule } from './add-rule.tsx'
import { matchWords, scopeWords, usesOf } from './format-rule.ts'
import { RevokeRule } from './revoke-rule.tsx'

/** How many of the newest calls are looked through for uses. */
const LOOKED_AT = 500
const KINDS = { allow: 'good', ask: 'warn', deny: 'bad' } as const

interface Known {
  rules: readonly RememberedRule[]
  uses: ReadonlyMap<string, number>
}

export function Rules() {
  const { known, fault } = useRules()
  const adding = useSignal(false)
  const revoking = useSignal<RememberedRule | undefined>(undefined)
  return (
    <div class="sheet">
      <header class="sheet-head">
        <h1>Rules</h1>
        <button type="button" class="button" onClick={() => (adding.value = true)}>
          Add a rule…
        </button>
      </header>
      <p class="muted">
        What "always" saved, and what was added here or on the command line. Rules of configuration files are not
        listed.
      </p>
      {fault !== undefined && <p class="notice bad">{fault}</p>}
      {known?.rules.length === 0 && (
        <div class="empty">
          <h2>No rules yet</h2>
          <p>Answer an approval with Always, or add a rule, and it is kept here until you take it back.</p>
        </div>
      )}
      {known && known.rules.length > 0 && <Table known={known} revoking={revoking} />}
      {adding.value && <AddRule onClose={() => (adding.value = false)} />}
      {revoking.value && <RevokeRule rule={revoking.value} onClose={() => (revoking.value = undefined)} />}
    </div>
  )
}

function Table({ known: { rules, uses }, revoking }: { known: Known; revoking: Signal<RememberedRule | undefined> }) {
  return (
    <>
      <ul class="rules">
        {rules.map(rule => (
          <li key={rule.rule_id} class="rule">
            <span class={`badge ${KINDS[rule.effect]}`}>{rule.effect}</span>
            <div class="rule-words">
              <p class="mono">{marked(matchWords(rule.match))}</p>
              <p class="muted small">
                {scopeWords(rule)} · made by {rule.created_by}, {whenOf(rule.created_at)} ·{' '}
                {rule.expires_at === null ? 'until revoked' : `until ${whenOf(rule.expires_at)}`} ·{' '}
                {usesWords(uses.get(rule.rule_id) ?? 0, rule)}
                {rule.reason !== undefined && <> · {marked(rule.reason)}</>}
              </p>
            </div>
            <button
              type="button"
              class="button danger"
              aria-label={`Revoke: ${rule.effect} ${matchWords(rule.match)}`}
              onClick={() => (revoking.value = rule)}
            >
              Revoke…
            </button>
          </li>
        ))}
      </ul>
      <p class="muted small">Uses are counted in the newest {LOOKED_AT} calls of the log.</p>
    </>
  )
}

/** The log tells of the rule that let a call through; of rules that ask or refuse it tells nothing. */
const usesWords = (n: number, { effect }: RememberedRule) =>
  effect !== 'allow' ? 'uses not known' : n === 0 ? 'not used lately' : n === 1 ? 'used once' : `used ${n} times`

function useRules() {
  const known = useSignal<Known | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const ask = async () => {
      try {
        const [rules, { calls }] = await Promise.all([client().rules(), client().calls({ limit: LOOKED_AT })])
        known.value = { rules: rules.toReversed(), uses: usesOf(calls) }
        fault.value = undefined
      } catch (error) {
        fault.value = whatFailed(error)
      }
    }
    void ask()
    return onEvent(({ type }) => {
      if (type === 'rules.changed') void ask()
    })
  }, [])
  return { known: known.value, fault: fault.value }
}
