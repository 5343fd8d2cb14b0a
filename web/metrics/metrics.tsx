// Metrics: calls, latency, approval times and the state of the server.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Stats, ToolStats } from '../../src/client/client.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { pending } from '../store/approvals.ts'
import { formatBytes } from '../text/format.ts'
import { formatDuration, formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { Sparkline, Tile } from './tile.tsx'

/** Polling interval. */
const POLL_INTERVAL_MS = 5_000
/** Samples in the server's curves: the last ten minutes. */
const MAX_SAMPLES = 120

interface MetricsSample {
  /** The newest sample. */
  stats: Stats
  /** All samples so far, oldest first. */
  memory: number[]
  streams: number[]
}

export function Metrics() {
  const { look, fault } = useMetrics()
  return (
    <div class="sheet">
      <header class="sheet-head">
        <h1>Metrics</h1>
        {look && <span class="muted small">Since server start, {formatTime(look.stats.since)}</span>}
      </header>
      {fault !== undefined && <p class="notice bad">{fault}</p>}
      {look && <MetricTiles look={look} />}
      {look && <ToolTable tools={look.stats.tools} />}
    </div>
  )
}

function MetricTiles({ look: { stats, memory, streams } }: { look: MetricsSample }) {
  const { minutes, approval_wait: waits, server } = stats
  const calls = minutes.map(minute => minute.calls)
  const errors = minutes.map(minute => minute.errors)
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
  return (
    <dl class="tiles">
      <Sparkline
        title="Calls per minute"
        value={String(calls.at(-2) ?? 0)}
        note={`in the last full minute; ${sum(calls)} in the last hour`}
        values={calls}
      />
      <Sparkline title="Failed calls" value={String(sum(errors))} note="in the last hour" values={errors} />
      <Tile
        title="Time to decision"
        value={waits.p50_ms === null ? '–' : formatDuration(waits.p50_ms)}
        note={formatApprovalWait(waits, pending.value.length)}
      >
        {pending.value.length === 1 ? '1 call waiting now' : `${pending.value.length} calls waiting now`}
      </Tile>
      <Sparkline title="Memory" value={formatBytes(server.rss_bytes)} note="resident" values={memory} />
      <Sparkline
        title="Open streams"
        value={String(server.streams)}
        note={`server uptime ${formatDuration(server.uptime_ms)}`}
        values={streams}
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
        look.value = {
          stats,
          memory: [...memory, stats.server.rss_bytes].slice(-MAX_SAMPLES),
          streams: [...streams, stats.server.streams].slice(-MAX_SAMPLES)
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
