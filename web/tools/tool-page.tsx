// One tool: what it is for, its form, and what a try or a run came to.
import { type Signal, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { type Call, type DryRun, type ListedTool, ToolgateError } from '../../src/client/client.ts'
import { Form } from '../form/form.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { client, whatFailed } from '../session/session.ts'
import { Fault } from '../shell/error-notice.tsx'
import { say } from '../shell/live-region.tsx'
import { hrefOf } from '../shell/routes.ts'
import { marked } from '../text/invisible.tsx'
import { Raw } from '../text/text-block.tsx'
import { Answer, Foreseen } from './call-result.tsx'
import { Effect } from './tools.tsx'

/** The session that calls from here are of. */
const SESSION = 'console'

type Outcome = { is: 'none' } | { is: 'foreseen'; dryRun: DryRun } | { is: 'called'; call: Call }

export function ToolPage({ tool }: { tool: ListedTool }) {
  // The list of tools is fetched again whenever any tool changes: only another schema resets what is typed here.
  const schema = JSON.stringify(tool.input)
  const form = useMemo(() => new Form(JSON.parse(schema)), [schema])
  const outcome = useSignal<Outcome>({ is: 'none' })
  const fault = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)

  const send = async (ask: (params: Record<string, unknown>) => Promise<Outcome>) => {
    if (busy.peek()) return
    if (form.unfinished) {
      fault.value = 'Something is half typed: see below.'
      return
    }
    busy.value = true
    fault.value = undefined
    form.tell([], '')
    try {
      outcome.value = await ask(form.value.peek() as Record<string, unknown>)
      say(wordsOf(outcome.peek()))
    } catch (error) {
      takeFault(error, form, fault)
      outcome.value = { is: 'none' }
    }
    busy.value = false
  }
  const dryRun = () =>
    send(async params => ({
      is: 'foreseen',
      dryRun: await client().dryRun(tool.name, params, { session_id: SESSION })
    }))
  const run = () =>
    send(async params => ({
      is: 'called',
      call: await client().call(tool.name, params, { session_id: SESSION })
    }))

  return (
    <div class="detail">
      <header class="detail-head">
        <h2 class="mono">{marked(tool.name)}</h2>
        <Effect effect={tool.effect} />
        <a class="button quiet detail-close" href={hrefOf('tools')}>
          Close
        </a>
      </header>
      <p>{marked(tool.description)}</p>
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
        <Fault text={fault.value} />
        <div class="row">
          <button type="submit" class="button primary" disabled={busy.value}>
            Run
          </button>
          <button type="button" class="button" disabled={busy.value} onClick={() => void dryRun()}>
            Dry run
          </button>
          <span class="muted small">A dry run tells what would happen, and changes nothing.</span>
        </div>
      </form>
      {outcome.value.is === 'foreseen' && <Foreseen dryRun={outcome.value.dryRun} />}
      {outcome.value.is === 'called' && <Answer call={outcome.value.call} />}
      <details class="detail-section">
        <summary>What it answers with</summary>
        <Raw value={tool.output} label="What it answers with" />
      </details>
    </div>
  )
}

/** Faults of the params go to their fields, the rest is told above the buttons. */
function takeFault(error: unknown, form: Form, fault: Signal<string | undefined>) {
  const words = whatFailed(error)
  const faults = error instanceof ToolgateError ? (error.problem?.errors ?? []) : []
  form.tell(faults, '/params')
  fault.value =
    faults.length === 0
      ? words
      : faults.length === 1
        ? 'One param is not right.'
        : `${faults.length} params are not right.`
}

function wordsOf(outcome: Outcome): string {
  if (outcome.is === 'foreseen') return `It would be decided: ${outcome.dryRun.verdict.decision}`
  return outcome.is === 'called' ? `The call: ${outcome.call.status.replaceAll('_', ' ')}` : ''
}
