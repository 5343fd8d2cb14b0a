// Exports the spans of calls as they end. It follows the journal, so that no call waits for it.
import type { Journal } from '../events/journal.ts'
import { type Call, isSettled } from '../protocol/calls.ts'
import { type CallSpan, toCallSpan } from './call-spans.ts'
import type { Collector } from './collector.ts'
import type { OtlpExporter } from './otlp-exporter.ts'

const SAMPLED = 1
const MIN_REPORT_INTERVAL_MS = 60_000

interface TelemetryOptions {
  collector: Collector
  journal: Pick<Journal, 'listen'>
  /** Returns a call that ends, as it was published. */
  findCall(tool_call_id: string): Call | undefined
  /** Redacts secrets. */
  mask(attributes: CallSpan['attributes']): CallSpan['attributes']
  log: { warn(details: object, message: string): void; error(details: object, message: string): void }
  version: string
  instance: string
}

export class Telemetry {
  readonly #options: TelemetryOptions
  readonly #exporter: Promise<OtlpExporter>
  readonly #unlisten: () => void
  #dropped = { spans: 0, reason: '' }
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(options: TelemetryOptions) {
    const { collector, journal, log, version, instance } = options
    this.#options = options
    this.#exporter = import('./otlp-exporter.ts').then(
      ({ OtlpExporter }) =>
        new OtlpExporter({
          collector,
          version,
          instance,
          onDropped: (spans, reason) => this.#countDropped(spans, reason)
        })
    )
    this.#exporter.catch(error => log.error({ err: error }, 'spans of calls cannot be exported'))
    this.#unlisten = journal.listen(entries => {
      for (const { event } of entries)
        if (event.type === 'tool.result' && event.tool_call_id !== undefined) this.#exportCall(event.tool_call_id)
    })
  }

  /** Sends what is left, for a limited time. */
  async close(): Promise<void> {
    this.#unlisten()
    await (await this.#exporter.catch(() => undefined))?.close()
    if (this.#dropped.spans > 0) this.#reportDropped()
  }

  #exportCall(tool_call_id: string) {
    const call = this.#options.findCall(tool_call_id)
    const { trace } = call ?? {}
    if (!call || !trace || !isSettled(call) || (Number.parseInt(trace.flags, 16) & SAMPLED) === 0) return
    void this.#exporter.then(
      exporter => {
        const span = toCallSpan(call)
        exporter.add({ ...span, attributes: this.#options.mask(span.attributes) }, trace)
      },
      () => {}
    )
  }

  /** Reports the number of lost spans at once, and then once a minute at most. */
  #countDropped(spans: number, reason: string) {
    this.#dropped = { spans: this.#dropped.spans + spans, reason }
    if (performance.now() - this.#reportedAt >= MIN_REPORT_INTERVAL_MS) this.#reportDropped()
  }

  #reportDropped() {
    this.#options.log.warn(this.#dropped, 'spans of calls were not exported')
    this.#reportedAt = performance.now()
    this.#dropped = { spans: 0, reason: '' }
  }
}
