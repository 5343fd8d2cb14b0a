// Tests rules that are being added or revoked on the calls of the last days: how many would be decided how, and which differently.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ChangedDecision, RuleTest as Findings, NewRule } from '../../src/client/client.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { announce } from '../shell/live-region.tsx'
import { formatDateTime } from '../text/format.ts'
import { markInvisible } from '../text/invisible.tsx'

const TESTED_DAYS = 30
const DAY_MS = 24 * 60 * 60 * 1_000
/** Number of changed calls that are shown. */
const SHOWN_CALLS = 20
const DECISIONS = ['allow', 'ask', 'strict', 'deny'] as const
const DECISION_KINDS = { allow: 'good', ask: 'warn', strict: 'warn', deny: 'bad' } as const

interface RuleTestProps {
  /** Returns what would be changed. */
  change: () => { rule: NewRule } | { rules: NewRule[] } | { revoke: string }
  /** Shows the errors of fields. Those of the whole test are shown here. */
  onError?: (error: unknown) => void
}

export function RuleTest({ change, onError }: RuleTestProps) {
  const findings = useSignal<Findings | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  const isRunning = useSignal(false)
  const closed = useRef(new AbortController())
  useEffect(() => () => closed.current.abort(), [])
  const test = async () => {
    if (isRunning.value) return
    isRunning.value = true
    fault.value = undefined
    findings.value = undefined
    try {
      const since = new Date(Date.now() - TESTED_DAYS * DAY_MS).toISOString()
      const request = { ...change(), since, limit: SHOWN_CALLS }
      findings.value = await client().testRules(request, { signal: closed.current.signal })
      announce(formatTotal(findings.value))
    } catch (error) {
      if (closed.current.signal.aborted) return
      fault.value = toErrorMessage(error)
      onError?.(error)
    } finally {
      isRunning.value = false
    }
  }
  return (
    <section class="rule-test" aria-label="Test" aria-busy={isRunning.value}>
      <button type="button" class="button" aria-disabled={isRunning.value} onClick={() => void test()}>
        {isRunning.value ? 'Testing…' : `Test against the last ${TESTED_DAYS} days`}
      </button>
      <ErrorNotice text={fault.value} />
      {findings.value && <FindingsView findings={findings.value} />}
    </section>
  )
}

function FindingsView({ findings }: { findings: Findings }) {
  const { before, after, changed, changed_total, cut, not_evaluated } = findings
  const missing = not_evaluated.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Calls</th>
            {DECISIONS.map(decision => (
              <th key={decision} scope="col" class="number">
                {decision}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <CountsRow name="now" counts={before} />
          <CountsRow name="then" counts={after} />
        </tbody>
      </table>
      <p>{formatTotal(findings)}</p>
      {changed.length > 0 && (
        <ul class="rules">
          {changed.map(call => (
            <ChangedCall key={call.tool_call_id} call={call} />
          ))}
        </ul>
      )}
      <p class="muted small">
        {changed_total > changed.length && <>The latest {changed.length} are shown. </>}
        {cut && <>There were too many calls, so the oldest were not tested. </>}
        {missing > 0 && <>{missing} could not be tested. </>}
        The calls are evaluated in the current workspace.
      </p>
    </>
  )
}

const CountsRow = ({ name, counts }: { name: string; counts: Findings['before'] }) => (
  <tr>
    <th scope="row">{name}</th>
    {DECISIONS.map(decision => (
      <td key={decision} class="number">
        {counts[decision]}
      </td>
    ))}
  </tr>
)

const ChangedCall = ({ call }: { call: ChangedDecision }) => (
  <li class="rule">
    <span class={`badge ${DECISION_KINDS[call.after]}`}>
      {call.before} → {call.after}
    </span>
    <div class="rule-words">
      <p class="mono">{markInvisible(call.title)}</p>
      <p class="muted small">
        {call.tool} · session {markInvisible(call.session_id)} · {formatDateTime(call.created_at)} · was{' '}
        {call.status.replace('_', ' ')} · {markInvisible(call.reason)}
      </p>
    </div>
  </li>
)

const formatTotal = ({ changed_total, tested }: Findings) =>
  `${changed_total} of ${tested} calls would be decided differently.`
