// Metrics per tool: number of calls, outcomes, durations. Reads the journal and counts from the start of the server.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { ApprovalWaitStats, MinuteStats, ToolStats } from '../protocol/server.ts'
import type { JournalEntry } from './frame.ts'
import type { Journal } from './journal.ts'

interface Counts {
  statuses: Map<string, number>
  micros: RecordableHistogram
  seconds: number
}

export class Metrics {
  readonly #tools = new Map<string, Counts>()
  readonly #journal: Journal
  readonly since = new Date().toISOString()
  #events = 0
  readonly #approvalWaits = createHistogram()
  /** Only minutes in which calls ended, oldest first, by minute number. */
  readonly #minutes = new Map<number, MinuteStats>()

  constructor(journal: Journal) {
    this.#journal = journal
    journal.listen(entries => {
      this.#events += entries.length
      for (const entry of entries) {
        const { event } = entry
        if (event.type === 'tool.decision') this.#countWait(entry)
        if (event.type !== 'tool.result') continue
        this.#count(event.tool, event.status, event.execution_time_ms)
        this.#countMinute(event.status === 'error')
      }
    })
  }

  stats(): ToolStats[] {
    return [...this.#tools].sort(([a], [b]) => (a < b ? -1 : 1)).map(([tool, counts]) => toStats(tool, counts))
  }

  /** Returns the wait of calls that were decided, expired or cancelled. */
  approvalWait(): ApprovalWaitStats {
    const { count, mean } = this.#approvalWaits
    const time = (percent: number) => (count === 0 ? null : this.#approvalWaits.percentile(percent))
    return { total: count, average_ms: count === 0 ? null : Math.round(mean), p50_ms: time(50), p95_ms: time(95) }
  }

  /** Returns the last hour, oldest first, including minutes without ended calls. */
  minutes(now = Date.now()): MinuteStats[] {
    const last = Math.floor(now / MINUTE_MS)
    return Array.from({ length: HISTORY_MINUTES }, (_, i) => last - HISTORY_MINUTES + 1 + i).map(
      minute => this.#minutes.get(minute) ?? emptyMinute(minute)
    )
  }

  /** Formats the metrics as Prometheus text. `gauges` are read now. */
  async prometheus(gauges: Record<string, { help: string; value: number }>): Promise<string> {
    // Loaded on first use: most servers never need it.
    const { Registry, Counter, Gauge } = (await import('prom-client')).default
    const registers = [new Registry()]
    const calls = new Counter({
      name: 'toolgate_calls_total',
      help: 'Number of calls that have ended.',
      labelNames: ['tool', 'status'],
      registers
    })
    const seconds = new Gauge({
      name: 'toolgate_call_seconds',
      help: 'Run time of calls.',
      labelNames: ['tool', 'quantile'],
      registers
    })
    const sums = new Counter({
      name: 'toolgate_call_seconds_total',
      help: 'Total run time of all calls.',
      labelNames: ['tool'],
      registers
    })
    for (const [tool, { statuses, micros, seconds: sum }] of this.#tools) {
      for (const [status, n] of statuses) calls.inc({ tool, status }, n)
      if (micros.count === 0) continue
      for (const quantile of [50, 95, 99])
        seconds.set({ tool, quantile: quantile / 100 }, micros.percentile(quantile) / 1e6)
      sums.inc({ tool }, sum)
    }
    new Counter({ name: 'toolgate_events_total', help: 'Number of events written to the journal.', registers }).inc(
      this.#events
    )
    new Gauge({ name: 'toolgate_journal_head', help: 'Sequence number of the newest event.', registers }).set(
      this.#journal.head
    )
    for (const [name, { help, value }] of Object.entries(gauges)) new Gauge({ name, help, registers }).set(value)
    return registers[0]!.metrics()
  }

  /** The wait may have begun in an earlier run; the journal has the start, since it retains all events of a waiting call. */
  #countWait({ seq, event, json }: JournalEntry) {
    if (event.tool_call_id === undefined) return
    const before = this.#journal
      .sinceOfCall(event.tool_call_id, 0, MAX_CALL_EVENTS)
      .filter(earlier => earlier.seq < seq)
    const decided = before.findLastIndex(({ type }) => type === 'tool.decision')
    // With a new preview, a call still waits since its first approval request.
    const requested = before
      .slice(decided + 1)
      .filter(({ type }) => type === 'tool.call')
      .map(({ data }) => JSON.parse(data) as { time: string; requires_approval: boolean })
      .find(({ requires_approval }) => requires_approval)
    if (!requested) return
    const { time } = JSON.parse(json) as { time: string }
    this.#approvalWaits.record(Math.max(1, Date.parse(time) - Date.parse(requested.time)))
  }

  #countMinute(failed: boolean) {
    const number = Math.floor(Date.now() / MINUTE_MS)
    const minute = this.#minutes.get(number) ?? emptyMinute(number)
    this.#minutes.set(number, minute)
    minute.calls += 1
    if (failed) minute.errors += 1
    for (const old of this.#minutes.keys()) if (old <= number - HISTORY_MINUTES) this.#minutes.delete(old)
  }

  #count(tool: string, status: string, ms: number | undefined) {
    const counts = this.#tools.get(tool) ?? { statuses: new Map(), micros: createHistogram(), seconds: 0 }
    this.#tools.set(tool, counts)
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
    if (ms === undefined) return
    counts.micros.record(Math.max(1, Math.round(ms * 1_000)))
    counts.seconds += ms / 1_000
  }
}

/** More events than a call has before its decision. */
const MAX_CALL_EVENTS = 1_000
const MINUTE_MS = 60_000
const HISTORY_MINUTES = 60
const emptyMinute = (number: number): MinuteStats => ({
  at: new Date(number * MINUTE_MS).toISOString(),
  calls: 0,
  errors: 0
})

function toStats(tool: string, { statuses, micros, seconds }: Counts): ToolStats {
  const of = (status: string) => statuses.get(status) ?? 0
  const total = [...statuses.values()].reduce((sum, n) => sum + n, 0)
  const time = (percent: number) => (micros.count === 0 ? null : micros.percentile(percent) / 1_000)
  return {
    tool,
    total,
    success: of('success'),
    error: of('error'),
    rejected: of('rejected'),
    ended_otherwise: total - of('success') - of('error') - of('rejected'),
    average_ms: micros.count === 0 ? null : Math.round((seconds * 1e6) / micros.count) / 1_000,
    p50_ms: time(50),
    p95_ms: time(95),
    p99_ms: time(99)
  }
}
