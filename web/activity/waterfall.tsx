// The phases of one call as bars with their durations.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatDuration } from '../text/format-time.ts'
import { type CallTimes, type Phase, toPhases } from './phases.ts'

/** Redraw interval of a growing bar. */
const TICK_MS = 1_000

const PHASE_LABELS: Record<Phase['name'], string> = {
  decision: 'Waited for approval',
  turn: 'Queued',
  run: 'Ran',
  job: 'Background job'
}
const OPEN_PHASE_LABELS: Record<Phase['name'], string> = {
  decision: 'Waiting for approval',
  turn: 'Queued',
  run: 'Running',
  job: 'Background job'
}

export function Waterfall({ call }: { call: CallTimes }) {
  const now = useSignal(Date.now())
  const phases = toPhases(call, now.value)
  const grows = phases.some(({ open }) => open)
  useEffect(() => {
    if (!grows) return
    const timer = setInterval(() => {
      now.value = Date.now()
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [grows])
  const whole = Math.max(1, ...phases.map(({ to }) => to - call.createdAt))
  if (phases.length === 0) return <p class="muted">The call was rejected immediately and never ran.</p>
  return (
    <dl class="waterfall">
      {phases.map(({ name, from, to, open }) => (
        <div key={name} class="waterfall-phase">
          <dt>{(open ? OPEN_PHASE_LABELS : PHASE_LABELS)[name]}</dt>
          <dd class="number">{formatDuration(to - from)}</dd>
          <dd aria-hidden="true" class="waterfall-track">
            <span
              class={`waterfall-bar ${name}`}
              style={{ left: `${((from - call.createdAt) / whole) * 100}%`, width: `${((to - from) / whole) * 100}%` }}
            />
          </dd>
        </div>
      ))}
    </dl>
  )
}
