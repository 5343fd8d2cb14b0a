// The details of one call: request, result, timing and events.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Call } from '../../src/client/client.ts'
import { RequestedAs } from '../approvals/facts.tsx'
import { SessionLink } from '../changes/session-link.tsx'
import { Diff } from '../diff/diff.tsx'
import { serverNameOf } from '../hub/server-name.ts'
import { hrefOf } from '../shell/routes.ts'
import { eventRing, eventRingVersion } from '../store/event-ring.ts'
import { CopyButton } from '../text/copy-button.tsx'
import { formatDateTime } from '../text/format.ts'
import { formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { JsonView, TextBlock } from '../text/text-block.tsx'
import { ChangedFiles, hasChangedFiles } from './changed-files.tsx'
import { callIdOf } from './entries.ts'
import { describeCall, formatEvent } from './format-event.ts'
import { Status } from './status.tsx'
import { UndoDialog } from './undo-dialog.tsx'
import { useCall } from './use-call.ts'
import { Waterfall } from './waterfall.tsx'

export function CallPage({ id, panel = 'activity' }: { id: string; panel?: string }) {
  const { call, fault } = useCall(id)
  const undoing = useSignal(false)
  const href = hrefOf(panel, id)
  return (
    <div class="detail">
      <header class="detail-head">
        <h2 class="mono">{markInvisible(call?.tool ?? id)}</h2>
        {call && <Status status={call.status} />}
        <a class="button quiet detail-close" href={hrefOf(panel)}>
          Close
        </a>
      </header>
      {fault !== undefined && <p class="notice bad">{fault}</p>}
      {call && (
        <>
          <p class="detail-about">{markInvisible(describeShownCall(call))}</p>
          <div class="row">
            {call.status === 'awaiting_approval' && (
              <a class="button primary" href={hrefOf('approvals', id)}>
                Decide
              </a>
            )}
            {'undo' in call && call.undo?.available && (
              <button type="button" class="button" onClick={() => (undoing.value = true)}>
                Undo…
              </button>
            )}
            <CopyButton text={new URL(href, location.href).href} label="Link to this call">
              Copy link
            </CopyButton>
          </div>
          <CallFacts call={call} />
          <Section title="Times">
            <Waterfall call={call} />
          </Section>
          <Section title="Params">
            <JsonView value={call.params} label="Params" />
          </Section>
          <RequestedAs call={call} />
          {previewDiff(call) !== undefined && (
            <Section title="Shown to the approver">
              <Diff text={previewDiff(call) ?? ''} />
            </Section>
          )}
          <CallOutcome call={call} />
          {hasChangedFiles(call) && (
            <Section title="Files">
              <ChangedFiles call={call} />
            </Section>
          )}
          <CallEvents id={id} />
          <details class="detail-section">
            <summary>The call as JSON</summary>
            <JsonView value={call} label="The call as JSON" />
          </details>
          {undoing.value && <UndoDialog id={id} onClose={() => (undoing.value = false)} />}
        </>
      )}
    </div>
  )
}

const describeShownCall = (call: Call): string =>
  describeCall({
    title: call.status === 'success' ? call.result.title : undefined,
    shown: 'approval' in call ? call.approval?.preview.title : undefined,
    params: call.params,
    why: call.status === 'error' ? call.error.message : 'reason' in call ? call.reason : undefined
  })

const previewDiff = (call: Call) => ('approval' in call ? call.approval?.preview.diff : undefined)

const Section = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="detail-section">
    <h3>{title}</h3>
    {children}
  </section>
)

function CallFacts({ call }: { call: Call }) {
  const decision = 'rejected_by' in call ? call.rejected_by : 'approved_by' in call ? call.approved_by : undefined
  const facts: [name: string, value: string | undefined][] = [
    ['Requested', `${formatDateTime(call.created_at)} by ${call.client}`],
    ['Agent', call.agent],
    ['Server', serverNameOf(call)],
    ['Session', call.session_id],
    ['Workspace', call.workspace],
    ['Context', call.context],
    ['Decided', decision && describeDecision(decision)],
    [
      'Hooks',
      call.hooks?.map(({ name, outcome, reason }) => [name, outcome, reason].filter(Boolean).join(' ')).join('; ')
    ],
    ['Call', call.tool_call_id]
  ]
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined && [
            <dt key={`${name} is`}>{name}</dt>,
            <dd key={name}>{name === 'Session' ? <SessionLink call={call} /> : markInvisible(value)}</dd>
          ]
      )}
    </dl>
  )
}

interface Decision {
  source: keyof typeof DECISION_SOURCES
  client?: string
  reason?: string
}

function describeDecision({ source, client, reason }: Decision): string {
  const decided = `${DECISION_SOURCES[source]}${client ? ` (${client})` : ''}`
  return source === 'mode' && reason !== undefined ? `${decided}. ${reason}` : decided
}

const DECISION_SOURCES = {
  auto: 'automatically, because it needed no approval',
  mode: 'by the session mode',
  user: 'by a person',
  rule: 'by a saved rule',
  config: 'by the configuration',
  hook: 'by a hook'
} as const

function CallOutcome({ call }: { call: Call }) {
  const text = call.status === 'success' ? call.result.content : undefined
  const why =
    call.status === 'error' ? `${call.error.code}: ${call.error.message}` : 'reason' in call ? call.reason : undefined
  if (text === undefined && why === undefined) return null
  return (
    <Section title={why === undefined ? 'Result' : 'Why'}>
      {why === undefined ? (
        <TextBlock text={text ?? ''} label="Result" />
      ) : (
        <p class="notice bad">{markInvisible(why)}</p>
      )}
    </Section>
  )
}

function CallEvents({ id }: { id: string }) {
  eventRingVersion.value
  const events = eventRing.events.filter(event => callIdOf(event) === id)
  return (
    <Section title="Events">
      {events.length === 0 && <p class="muted">The events of this call are older than those on this page.</p>}
      {events.map(event => (
        <details key={event.seq} class="told">
          <summary>
            <time class="muted">{formatTime(event.time)}</time> <span class="mono">{event.type}</span>{' '}
            <span class="told-words">{markInvisible(formatEvent(event))}</span>
          </summary>
          <JsonView value={event} label={`Event ${event.seq} as JSON`} />
        </details>
      ))}
    </Section>
  )
}
