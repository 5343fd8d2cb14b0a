// Splits the duration of a call into phases: approval, queue, execution.
import type { Call } from '../../src/client/client.ts'

export interface Phase {
  name: string
  /** Milliseconds since the call was requested. */
  from: number
  to: number
  /** It has not ended. */
  open?: true
}

/** Returns the phases of a call in order. `now` is the provisional end of one that has not ended. */
export function toPhases(call: Call, now: number): Phase[] {
  const asked = Date.parse(call.created_at)
  const at = (time: string | undefined) => (time === undefined ? undefined : Math.max(0, Date.parse(time) - asked))
  const started = at('started_at' in call ? call.started_at : undefined)
  const ended = at('finished_at' in call ? call.finished_at : undefined)
  const decided = wasDecidedByUser(call) ? at(decisionOf(call)?.at) : undefined
  const waited =
    call.status === 'awaiting_approval' || decided !== undefined || (requiredApproval(call) && started === undefined)
  const marks: { name: string; to: number | undefined }[] = [
    ...(waited ? [{ name: 'decision', to: decided ?? (call.status === 'awaiting_approval' ? undefined : ended) }] : []),
    ...(call.status === 'awaiting_approval' || (ended !== undefined && started === undefined)
      ? []
      : [{ name: 'turn', to: started }]),
    ...(started === undefined ? [] : [{ name: 'run', to: ended }])
  ]
  let from = 0
  return marks.map(({ name, to }) => {
    const phase = {
      name,
      from,
      to: Math.max(from, to ?? now - asked),
      ...(to === undefined && { open: true as const })
    }
    from = phase.to
    return phase
  })
}

const decisionOf = (call: Call) =>
  'rejected_by' in call ? call.rejected_by : 'approved_by' in call ? call.approved_by : undefined
const wasDecidedByUser = (call: Call) => decisionOf(call)?.source === 'user'
const requiredApproval = (call: Call) => 'approval' in call && call.approval !== undefined
