// The status of the server: calls, failures, times to decisions, memory and streams.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Stats, ToolStats } from '../../src/client/client.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { pending } from '../store/approvals.ts'
import { formatBytes } from '../text/format.ts'
import { formatDuration, formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { Chart, type Sample } from './chart.tsx'
import { Tile } from './tile.tsx'

/** Polling interval. */
const POLL_INTERVAL_MS = 5_000
/** Samples of the server's memory and streams: an hour. */
const MAX_SAMPLES = 720
/** Time ranges of the curves, in minutes. */
const RANGES = [10, 30, 60]
const MINUTE_MS = 60_000

interface MetricsSample {
  /** The newest sample. */
  stats: Stats
  /** All samples of this page, oldest first. */
  memory: Sample[]
  streams: Sample[]
}

export function ServerStatus() {
  const { look, fault } = useMetrics()
  const range = useSignal(RANGES.at(-1)!)
  return (
    <div class="sheet">
      <header class="sheet-head">
        <h1>Status</h1>
        <fieldset class="choice">
          <legend class="spoken">Time range</legend>
          {RANGES.map(minutes => (
            <button
              key={minutes}
              type="button"
              class="button small"
              aria-pressed={range.value === minutes}
              onClick={() => {
                range.value = minutes
              }}
            >
              {minutes} min
            </button>
          ))}
        </fieldset>
      </header>
      {fault !== undefined && <p class="notice bad">{fault}</p>}
      {look && <StatusTiles look={look} range={range.value} />}
      {look && (
        <>
          <h2>Calls since server start, {formatTime(look.stats.since)}</h2>
          <ToolTable tools={look.stats.tools} />
          <p class="muted small">
            For longer times, collect the <a href="/docs#tag/server">metrics for Prometheus</a> and show them in
            Grafana.
          </p>
        </>
      )}
    </div>
  )
}

function StatusTiles({ look: { stats, memory, streams }, range }: { look: MetricsSample; range: number }) {
  const { approval_wait: waits, server } = stats
  const since = Date.now() - range * MINUTE_MS
  const inRange = (samples: readonly Sample[]) => samples.filter(({ at }) => at >= since)
  const calls = inRange(stats.minutes.map(minute => ({ at: Date.parse(minute.at), value: minute.calls })))
  const errors = inRange(stats.minutes.map(minute => ({ at: Date.parse(minute.at), value: minute.errors })))
  /** The last minute is incomplete, and would look like a fall. */
  const whole = (samples: readonly Sample[]) => samples.slice(0, -1)
  const sum = (samples: readonly Sample[]) => samples.reduce((all, { value }) => all + value, 0)
  const period = `in the last ${range} minutes`
  return (
    <dl class="tiles">
      <Chart
        title="Calls per minute"
        value={String(calls.at(-2)?.value ?? 0)}
        note={`in the last full minute; ${sum(calls)} ${period}`}
        samples={whole(calls)}
      />
      <Chart title="Failed calls" value={String(sum(errors))} note={period} samples={whole(errors)} />
      <Tile
        title="Time to decision"
        value={waits.p50_ms === null ? '–' : formatDuration(waits.p50_ms)}
        note={formatApprovalWait(waits, pending.value.length)}
      >
        <dd class="muted small">
          {pending.value.length === 1 ? '1 call waiting now' : `${pending.value.length} calls waiting now`}
        </dd>
      </Tile>
      <Chart
        title="Memory"
        value={formatBytes(server.rss_bytes)}
        note="resident, while this page is open"
        samples={inRange(memory)}
        format={formatBytes}
      />
      <Chart
        title="Open streams"
        value={String(server.streams)}
        note={`server uptime ${formatDuration(server.uptime_ms)}`}
        samples={inRange(streams)}
      />
    </dl>
  )
}

/** `waiting`: undecided calls, which the figures do not include. */
function formatApprovalWait({ p95_ms, total }: Stats['approval_wait'], waiting: number): string {
  if (p95_ms === null) return waiting === 0 ? 'no approvals requested' : 'no decisions yet'
  return `p95 ${formatDuration(p95_ms)}, of ${total === 1 ? '1 decision' : `${total} decisions`}`
}

const formatMs = (value: number | null) =>
  value === null ? '–' : value < 10 ? `${value.toFixed(1)} ms` : formatDuration(value)

const COLUMNS: readonly { name: string; of: (stats: ToolStats) => string | number }[] = [
  { name: 'Calls', of: ({ total }) => total },
  { name: 'Failed', of: ({ error }) => error },
  { name: 'Rejected', of: ({ rejected }) => rejected },
  { name: 'Other', of: ({ ended_otherwise }) => ended_otherwise },
  { name: 'p50', of: ({ p50_ms }) => formatMs(p50_ms) },
  { name: 'p95', of: ({ p95_ms }) => formatMs(p95_ms) }
]

function ToolTable({ tools }: { tools: readonly ToolStats[] }) {
  if (tools.length === 0) return <p class="muted">No call has ended since the server started.</p>
  return (
    <section aria-label="Figures by tool">
      <table class="table figures">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            {COLUMNS.map(({ name }) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tools
            .toSorted((a, b) => b.total - a.total)
            .map(stats => (
              <tr key={stats.tool}>
                <th scope="row" class="mono">
                  {markInvisible(stats.tool)}
                </th>
                {COLUMNS.map(({ name, of }) => (
                  <td
                    key={name}
                    class={name === 'Failed' && stats.error > 0 ? 'number removed' : 'number'}
                    data-name={name}
                  >
                    {of(stats)}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  )
}

/** Polls the server's statistics while the panel is visible. */
function useMetrics() {
  const look = useSignal<MetricsSample | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const ask = async () => {
      if (document.hidden) return
      try {
        const stats = await client().stats({ signal })
        const { memory = [], streams = [] } = look.peek() ?? {}
        const at = Date.now()
        look.value = {
          stats,
          memory: [...memory, { at, value: stats.server.rss_bytes }].slice(-MAX_SAMPLES),
          streams: [...streams, { at, value: stats.server.streams }].slice(-MAX_SAMPLES)
        }
        fault.value = undefined
      } catch (error) {
        if (!signal.aborted) fault.value = toErrorMessage(error)
      }
    }
    void ask()
    const timer = setInterval(() => void ask(), POLL_INTERVAL_MS)
    return () => {
      clearInterval(timer)
      stop.abort()
    }
  }, [])
  return { look: look.value, fault: fault.value }
}
