// Metrics: how much is asked, how quick it is, how long people are waited for, and how the server stands.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useNow } from '../jobs/now.ts'
import { client, session, whatFailed } from '../session/session.ts'
import { calls, callsVersion } from '../store/calls.ts'
import { bytesOf } from '../text/sizes.ts'
import { clock, span } from '../text/time.ts'
import { figuresOf, gaugesOf } from './figures.ts'
import { Sparkline } from './sparkline.tsx'

/** How often the server is asked. */
const EVERY_MS = 5_000
/** How many answers the curves are of: the last ten minutes. */
const KEPT = 120

interface ToolStats {
  tool: string
  total: number
  success: number
  error: number
  rejected: number
  ended_otherwise: number
  p50_ms: number | null
  p95_ms: number | null
}

interface Look {
  since: string
  tools: ToolStats[]
  memory: number[]
  streams: number[]
  pending: number
  running: number
}

export function Metrics() {
  const { look, fault } = useLook()
  callsVersion.value
  const now = useNow(true)
  const { calls: perMinute, errors, waits, wait_p50, wait_p95 } = figuresOf(calls.values(), now)
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
  return (
    <div class="sheet">
      <header class="sheet-head">
        <h1>Metrics</h1>
        {look && <span class="muted small">Of the server since {clock(look.since)}, of calls by the last hour</span>}
      </header>
      {fault !== undefined && <p class="notice bad">{fault}</p>}
      <dl class="tiles">
        <Sparkline
          title="Calls a minute"
          value={String(perMinute.at(-2) ?? 0)}
          more={`${sum(perMinute)} in the last hour`}
          values={perMinute}
        />
        <Sparkline title="Failed calls" value={String(sum(errors))} more="in the last hour" values={errors} />
        <Sparkline
          title="Wait for a decision"
          value={wait_p50 === undefined ? 'none' : span(wait_p50)}
          more={wait_p95 === undefined ? 'nobody was asked' : `p95 ${span(wait_p95)}`}
          values={waits}
        />
        {look && (
          <>
            <Sparkline title="Memory" value={bytesOf(look.memory.at(-1) ?? 0)} more="resident" values={look.memory} />
            <Sparkline
              title="Open streams"
              value={String(look.streams.at(-1) ?? 0)}
              more={`${look.pending} calls wait, ${look.running} run`}
              values={look.streams}
            />
          </>
        )}
      </dl>
      {look && <ToolTable tools={look.tools} />}
    </div>
  )
}

const ms = (value: number | null) => (value === null ? '–' : value < 10 ? `${value.toFixed(1)} ms` : span(value))

function ToolTable({ tools }: { tools: readonly ToolStats[] }) {
  if (tools.length === 0) return <p class="muted">No call has ended since the server started.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus
    <section class="scroll" tabIndex={0} aria-label="Figures by tool">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            {['Calls', 'Failed', 'Rejected', 'Otherwise', 'p50', 'p95'].map(name => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tools
            .toSorted((a, b) => b.total - a.total)
            .map(({ tool, total, error, rejected, ended_otherwise, p50_ms, p95_ms }) => (
              <tr key={tool}>
                <th scope="row" class="mono">
                  {tool}
                </th>
                <td class="number">{total}</td>
                <td class={error > 0 ? 'number removed' : 'number'}>{error}</td>
                <td class="number">{rejected}</td>
                <td class="number">{ended_otherwise}</td>
                <td class="number">{ms(p50_ms)}</td>
                <td class="number">{ms(p95_ms)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  )
}

/** What the server says of itself, asked for while somebody looks. */
function useLook() {
  const look = useSignal<Look | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const stop = new AbortController()
    const ask = async () => {
      if (document.hidden) return
      try {
        const [stats, metrics] = await Promise.all([get('/stats', stop.signal), get('/metrics', stop.signal)])
        const { since, tools } = (await stats.json()) as Pick<Look, 'since' | 'tools'>
        const gauges = gaugesOf(await metrics.text())
        const gauge = (name: string) => gauges.get(`toolgate_${name}`) ?? 0
        look.value = {
          since,
          tools,
          memory: [...(look.peek()?.memory ?? []), gauge('resident_bytes')].slice(-KEPT),
          streams: [...(look.peek()?.streams ?? []), gauge('event_readers')].slice(-KEPT),
          pending: gauge('pending_approvals'),
          running: gauge('running_calls')
        }
        fault.value = undefined
      } catch (error) {
        if (!stop.signal.aborted) fault.value = whatFailed(error)
      }
    }
    void ask()
    const timer = setInterval(() => void ask(), EVERY_MS)
    return () => {
      clearInterval(timer)
      stop.abort()
    }
  }, [])
  return { look: look.value, fault: fault.value }
}

async function get(path: string, signal: AbortSignal): Promise<Response> {
  const now = session.peek()
  const token = now.state === 'open' ? now.token : ''
  const response = await fetch(client().connection.url + path, {
    headers: { authorization: `Bearer ${token}` },
    signal
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}.`)
  return response
}
