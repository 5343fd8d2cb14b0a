// The details of one call: request, result, timing and events.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Call } from '../../src/client/client.ts'
import { RequestedAs } from '../approvals/facts.tsx'
import { SessionLink } from '../changes/session-link.tsx'
import { Diff } from '../diff/diff.tsx'
import { serverNameOf } from '../hub/server-name.ts'
import { hrefOf, hrefWith } from '../shell/routes.ts'
import { eventRing, eventRingVersion } from '../store/event-ring.ts'
import { jobs } from '../store/jobs.ts'
import { CopyButton } from '../text/copy-button.tsx'
import { formatDateTime } from '../text/format.ts'
import { formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { JsonView, TextBlock } from '../text/text-block.tsx'
import { CallDecision } from './call-decision.tsx'
import { CallOutput, hasOutput } from './call-output.tsx'
import { toCallRow, withJob } from './call-row.ts'
import { ChangedFiles, hasChangedFiles } from './changed-files.tsx'
import { callIdOf } from './events.ts'
import { Facts } from './facts.tsx'
import { formatEvent } from './format-event.ts'
import { Section } from './section.tsx'
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
        <a class="button quiet detail-close" href={hrefWith({ segments: [] })}>
          Close
        </a>
      </header>
      {fault !== undefined && <p class="notice bad">{fault}</p>}
      {call && (
        <>
          <p class="detail-about">{markInvisible(toCallRow(call).title)}</p>
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
          <CallDecision call={call} />
          {hasOutput(call) && (
            <Section title="Output">
              <CallOutput call={call} />
            </Section>
          )}
          <CallChanges call={call} />
          <CallResult call={call} />
          <Section title="Times">
            <Waterfall call={withJob(toCallRow(call), jobs.value.get(id))} />
          </Section>
          <Section title="Params">
            <JsonView value={call.params} label="Params" />
          </Section>
          <RequestedAs call={call} />
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

function CallFacts({ call }: { call: Call }) {
  const facts: [name: string, value: ComponentChildren][] = [
    ['Requested', `${formatDateTime(call.created_at)} by ${call.client}`],
    ['Agent', call.agent],
    ['Server', serverNameOf(call)],
    ['Session', <SessionLink key="session" call={call} />],
    ['Workspace', call.workspace],
    ['Context', call.context],
    [
      'Hooks',
      call.hooks?.map(({ name, outcome, reason }) => [name, outcome, reason].filter(Boolean).join(' ')).join('; ')
    ],
    ['Call', call.tool_call_id]
  ]
  return <Facts facts={facts} />
}

/** The output of a command, or the text that another tool returned. */
function CallResult({ call }: { call: Call }) {
  if (call.status === 'error')
    return (
      <Section title="Error">
        <p class="notice bad">{markInvisible(`${call.error.code}: ${call.error.message}`)}</p>
      </Section>
    )
  const reason = 'reason' in call && call.status !== 'rejected' ? call.reason : undefined
  if (reason !== undefined)
    return (
      <Section title="Reason">
        <p class="notice bad">{markInvisible(reason)}</p>
      </Section>
    )
  if (call.status !== 'success' || hasOutput(call)) return null
  return (
    <Section title="Result">
      <TextBlock text={call.result.content} label="Result" />
    </Section>
  )
}

/** The diff that a person approved, or else the one that the tool returned; and the files. */
function CallChanges({ call }: { call: Call }) {
  const diff = findDiff(call)
  if (diff === undefined && !hasChangedFiles(call)) return null
  return (
    <Section title={call.status === 'success' ? 'Changes' : 'Requested changes'}>
      {diff !== undefined && <Diff text={diff} />}
      {hasChangedFiles(call) && <ChangedFiles call={call} />}
    </Section>
  )
}

function findDiff(call: Call): string | undefined {
  const shown = 'approval' in call ? call.approval?.preview.diff : undefined
  const data = call.status === 'success' ? (call.result.data as { diff?: unknown } | null) : undefined
  return shown ?? (typeof data?.diff === 'string' && data.diff !== '' ? data.diff : undefined)
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
