// The result of a dry run or a call.
import type { Call, DryRun } from '../../src/client/client.ts'
import { Status } from '../activity/status.tsx'
import { PreviewView } from '../diff/preview.tsx'
import { hrefOf } from '../shell/routes.ts'
import { formatDuration } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { JsonView, TextBlock } from '../text/text-block.tsx'

const VERDICT_LABELS: Record<DryRun['verdict']['decision'], { words: string; kind: string }> = {
  allow: { words: 'The call would run without approval', kind: 'good' },
  ask: { words: 'The call would need approval', kind: 'warn' },
  strict: { words: 'The call would need strict approval', kind: 'warn' },
  deny: { words: 'The call would be denied', kind: 'bad' }
}

export function DryRunResult({ dryRun: { verdict, paths, preview } }: { dryRun: DryRun }) {
  const { words, kind } = VERDICT_LABELS[verdict.decision]
  return (
    <section class="detail-section" aria-label="Dry run">
      <h3>Dry run</h3>
      <p class={`notice ${kind}`}>
        <strong>{words}.</strong> {markInvisible(verdict.reason)}
      </p>
      {preview && <PreviewView preview={preview} isStrict={verdict.decision === 'strict'} />}
      {paths.length > 0 && (
        <p class="small">
          <span class="muted">Paths: </span>
          {paths.map(({ path, access }) => (
            <span key={`${path} ${access}`} class="touched">
              <code>{markInvisible(path)}</code> <span class="muted">({access})</span>
            </span>
          ))}
        </p>
      )}
    </section>
  )
}

export function CallResult({ call }: { call: Call }) {
  const { tool_call_id, status } = call
  const ms = 'execution_time_ms' in call ? call.execution_time_ms : undefined
  return (
    <section class="detail-section" aria-label="Call result">
      <h3>Result</h3>
      <p class="row">
        <Status status={status} />
        {ms !== undefined && <span class="muted number">{formatDuration(ms)}</span>}
        <a href={hrefOf('activity', tool_call_id)}>View call</a>
        {status === 'awaiting_approval' && (
          <a class="button primary" href={hrefOf('approvals', tool_call_id)}>
            Decide
          </a>
        )}
      </p>
      {call.status === 'success' && (
        <>
          <TextBlock text={call.result.content} label="Result" />
          {call.result.attachments.map(
            ({ media_type, data_url }, n) =>
              media_type.startsWith('image/') && (
                <img key={n} src={data_url} alt={`Attachment ${n + 1}`} class="attached" />
              )
          )}
          <details>
            <summary>Structured result</summary>
            <JsonView value={call.result.data} label="Structured result" />
          </details>
        </>
      )}
      {call.status === 'error' && (
        <p class="notice bad">
          <strong>{call.error.code}</strong> {markInvisible(call.error.message)}
        </p>
      )}
      {'reason' in call && call.reason && <p class="notice">{markInvisible(call.reason)}</p>}
    </section>
  )
}
