// The newest calls of a session on one axis of time, each as a bar with its phases.
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { has } from '../session/place.ts'
import { client } from '../session/session.ts'
import { isSequenceKey } from '../shell/keys.ts'
import { hrefWith } from '../shell/routes.ts'
import { putJobs } from '../store/jobs.ts'
import { formatDuration, formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { type CallRow, shownStatus } from './call-row.ts'
import { canLoadOlder } from './call-store.ts'
import { useOlderCalls } from './calls-view.tsx'
import { calls, filter } from './list-state.ts'
import { type Phase, toPhases } from './phases.ts'
import { statusLabel } from './status.tsx'
import { toTicks } from './time-axis.ts'

/** Maximum number of bars. */
const MAX_CALLS = 300
/** Room for a tick whose label has a date. */
const TICK_PX = 160
/** Redraw interval of growing bars. */
const TICK_MS = 1_000
const MINUTE = 60_000
const MOVES: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

export function Timeline({ opened }: { opened: string | undefined }) {
  useOlderCalls()
  useJobsOfSession(filter.value.session)
  const list = useRef<HTMLUListElement>(null)
  const axis = useRef<HTMLDivElement>(null)
  const axisWidth = useSignal(0)
  /** The call whose durations are shown. */
  const described = useSignal<string | undefined>(undefined)
  const now = useSignal(Date.now())
  const all = calls.value
  const rows = all.slice(0, MAX_CALLS).reverse()
  const bars = rows.map(row => ({ row, phases: toPhases(row, now.value) }))
  const grows = bars.some(({ phases }) => phases.some(({ open }) => open))
  useEffect(() => {
    if (!grows) return
    const timer = setInterval(() => {
      now.value = Date.now()
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [grows])
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => {
      axisWidth.value = axis.current?.clientWidth ?? 0
    })
    if (axis.current) watch.observe(axis.current)
    return () => watch.disconnect()
  }, [rows.length === 0])
  const move = (by: number) => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    links[Math.max(0, Math.min(at + by, links.length - 1))]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = MOVES[event.key]
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey || isSequenceKey()) return
    event.preventDefault()
    move(by)
  }
  if (rows.length === 0) return <p class="empty muted">No call of this session matches the filter.</p>

  const from = Math.min(...rows.map(({ createdAt }) => createdAt))
  const to = Math.max(from + 1, ...bars.flatMap(({ phases }) => phases.map(({ to }) => to)))
  const percent = (ms: number) => `${(ms / (to - from)) * 100}%`
  const ticks = toTicks(
    from,
    to,
    Math.max(2, Math.floor(axisWidth.value / TICK_PX)),
    -new Date(from).getTimezoneOffset() * MINUTE
  )
  const shown = bars.find(({ row }) => row.id === described.value)
  return (
    <div class="timeline">
      <div ref={axis} class="timeline-axis" aria-hidden="true">
        {ticks.map(({ at, label }) => (
          <span key={at} class="timeline-tick" style={{ left: percent(at - from) }}>
            <span>{label}</span>
          </span>
        ))}
      </div>
      <ul ref={list} class="timeline-calls" aria-label="Calls, oldest first">
        {bars.map(({ row, phases }) => (
          <li key={row.id}>
            <a
              class="timeline-call"
              href={hrefWith({ segments: [row.id] })}
              aria-current={row.id === opened ? 'true' : undefined}
              aria-label={describeBar(row, phases)}
              onKeyDown={onKeyDown}
              onFocus={() => (described.value = row.id)}
              onMouseEnter={() => (described.value = row.id)}
            >
              <span class="timeline-tool mono">{markInvisible(row.tool || 'a call')}</span>
              <span class="timeline-track">
                {phases.map(({ name, from: start, to: end }) => (
                  <span
                    key={name}
                    class={`waterfall-bar ${name} ${isFailed(row) ? 'failed' : ''}`}
                    style={{ left: percent(start - from), width: percent(end - start) }}
                  />
                ))}
                {phases.length === 0 && (
                  <span class="waterfall-bar failed" style={{ left: percent(row.createdAt - from) }} />
                )}
              </span>
            </a>
          </li>
        ))}
      </ul>
      <p class="timeline-about small" aria-hidden="true">
        {shown ? (
          <>
            {formatTime(new Date(shown.row.createdAt).toISOString())}{' '}
            {markInvisible(describeBar(shown.row, shown.phases))}
          </>
        ) : (
          <span class="muted">Point at a call, or move with j and k, to see its title and durations.</span>
        )}
      </p>
      {(all.length > MAX_CALLS || canLoadOlder.value) && (
        <p class="grid-end muted small">
          Only the newest {rows.length.toLocaleString('en')} calls are shown. The view Calls lists older ones.
        </p>
      )}
    </div>
  )
}

const PHASE_LABELS: Record<Phase['name'], string> = {
  decision: 'waited for approval',
  turn: 'queued',
  run: 'ran',
  job: 'background job'
}

const describeBar = (row: CallRow, phases: readonly Phase[]): string =>
  [
    `${row.tool} ${row.title}`,
    statusLabel(shownStatus(row)),
    ...phases.map(
      ({ name, from, to, open }) => `${PHASE_LABELS[name]} ${formatDuration(to - from)}${open ? ' so far' : ''}`
    )
  ].join(', ')

const isFailed = ({ status }: CallRow) => status !== 'success' && status !== 'running' && status !== 'awaiting_approval'

/** Loads the jobs of a session that have ended, which no snapshot contains. */
function useJobsOfSession(session_id: string) {
  useEffect(() => {
    if (!has('jobs')) return
    // Without them, bars of jobs are missing until the panel is opened again.
    client()
      .jobs({ session_id })
      .then(putJobs, () => {})
  }, [session_id])
}
