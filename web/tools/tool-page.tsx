// One tool: description, form, and the result of a dry run or a call.
import { type Signal, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { type Call, type DryRun, type ListedTool, ToolgateError } from '../../src/client/client.ts'
import { Form } from '../form/form.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { client, toErrorMessage } from '../session/session.ts'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { announce } from '../shell/live-region.tsx'
import { hrefOf } from '../shell/routes.ts'
import { markInvisible } from '../text/invisible.tsx'
import { JsonView } from '../text/text-block.tsx'
import { CallResult, DryRunResult } from './call-result.tsx'
import { EffectBadge } from './tools.tsx'

/** Session of calls made here. */
const SESSION_ID = 'console'

type ToolOutcome = { is: 'none' } | { is: 'foreseen'; dryRun: DryRun } | { is: 'called'; call: Call }

export function ToolPage({ tool }: { tool: ListedTool }) {
  // The list of tools is fetched again whenever any tool changes: only a changed schema resets the form.
  const schema = JSON.stringify(tool.input)
  const form = useMemo(() => new Form(JSON.parse(schema)), [schema])
  const outcome = useSignal<ToolOutcome>({ is: 'none' })
  const fault = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)

  const send = async (ask: (params: Record<string, unknown>) => Promise<ToolOutcome>) => {
    if (busy.peek()) return
    if (form.hasDrafts) {
      fault.value = 'Some values are incomplete. See the marked params below.'
      return
    }
    busy.value = true
    fault.value = undefined
    form.setErrors([], '')
    try {
      outcome.value = await ask(form.value.peek() as Record<string, unknown>)
      announce(formatOutcome(outcome.peek()))
    } catch (error) {
      handleError(error, form, fault)
      outcome.value = { is: 'none' }
    }
    busy.value = false
  }
  const dryRun = () =>
    send(async params => ({
      is: 'foreseen',
      dryRun: await client().dryRun(tool.name, params, { session_id: SESSION_ID })
    }))
  const run = () =>
    send(async params => ({
      is: 'called',
      call: await client().call(tool.name, params, { session_id: SESSION_ID })
    }))

  return (
    <div class="detail">
      <header class="detail-head">
        <h2 class="mono">{markInvisible(tool.name)}</h2>
        <EffectBadge effect={tool.effect} />
        <a class="button quiet detail-close" href={hrefOf('tools')}>
          Close
        </a>
      </header>
      <p>{markInvisible(tool.description)}</p>
      <form
        class="tool-form"
        onSubmit={event => {
          event.preventDefault()
          void run()
        }}
        onKeyDown={event => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          void run()
        }}
      >
        <SchemaForm form={form} label={`Params of ${tool.name}`} />
        <ErrorNotice text={fault.value} />
        <div class="row">
          <button type="submit" class="button primary" disabled={busy.value}>
            Run
          </button>
          <button type="button" class="button" disabled={busy.value} onClick={() => void dryRun()}>
            Dry run
          </button>
          <span class="muted small">A dry run reports the effect without changing anything.</span>
        </div>
      </form>
      {outcome.value.is === 'foreseen' && <DryRunResult dryRun={outcome.value.dryRun} />}
      {outcome.value.is === 'called' && <CallResult call={outcome.value.call} />}
      <details class="detail-section">
        <summary>Output schema</summary>
        <JsonView value={tool.output} label="Output schema" />
      </details>
    </div>
  )
}

/** Shows errors of the params at their fields, and others above the buttons. */
function handleError(error: unknown, form: Form, fault: Signal<string | undefined>) {
  const words = toErrorMessage(error)
  const faults = error instanceof ToolgateError ? (error.problem?.errors ?? []) : []
  form.setErrors(faults, '/params')
  fault.value =
    faults.length === 0 ? words : faults.length === 1 ? 'One param is invalid.' : `${faults.length} params are invalid.`
}

function formatOutcome(outcome: ToolOutcome): string {
  if (outcome.is === 'foreseen') return `Decision: ${outcome.dryRun.verdict.decision}`
  return outcome.is === 'called' ? `Call: ${outcome.call.status.replaceAll('_', ' ')}` : ''
}
