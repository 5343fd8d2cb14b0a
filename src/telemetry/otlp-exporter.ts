// Exports spans by OTLP over HTTP, with the packages of OpenTelemetry. Loaded only where an address is configured.
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createTraceState, type SpanContext, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { ExportResultCode, hrTimeDuration, millisToHrTime } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace'
import type { TraceContext } from '../protocol/trace-context.ts'
import type { CallSpan } from './call-spans.ts'
import type { Collector } from './collector.ts'

/** Spans that wait to be sent; more are dropped. */
const MAX_QUEUED_SPANS = 2_048
/** A batch is turned into JSON at once, which must not hold up calls. */
const MAX_BATCH_SIZE = 128
const BATCH_DELAY_MS = 1_000
/** Time limit of sending one batch, retries included. */
const EXPORT_TIMEOUT_MS = 10_000
/** Time that the spans of the last calls have at the end of the server. */
const FLUSH_TIMEOUT_MS = 2_000

interface OtlpExporterOptions {
  collector: Collector
  version: string
  /** Id of this run of the server. */
  instance: string
  onDropped(spans: number, reason: string): void
}

export class OtlpExporter {
  readonly #processor: BatchSpanProcessor
  readonly #resource: Resource
  readonly #options: OtlpExporterOptions
  #queued = 0
  #sending = 0
  #closed = false

  constructor(options: OtlpExporterOptions) {
    const { collector, version, instance, onDropped } = options
    const exporter = new OTLPTraceExporter({ ...collector, timeoutMillis: EXPORT_TIMEOUT_MS })
    this.#options = options
    this.#resource = defaultResource().merge(
      resourceFromAttributes({
        'service.name': 'toolgate',
        'service.version': version,
        'service.instance.id': instance
      })
    )
    this.#processor = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) => {
          this.#queued -= spans.length
          this.#sending += spans.length
          exporter.export(spans, result => {
            this.#sending -= spans.length
            if (result.code !== ExportResultCode.SUCCESS && !this.#closed)
              onDropped(spans.length, result.error?.message || 'the collector rejected the spans')
            done(result)
          })
        },
        shutdown: () => exporter.shutdown()
      },
      maxQueueSize: MAX_QUEUED_SPANS,
      maxExportBatchSize: MAX_BATCH_SIZE,
      scheduledDelayMillis: BATCH_DELAY_MS,
      exportTimeoutMillis: EXPORT_TIMEOUT_MS
    })
  }

  /** Queues the spans of a call. */
  add(call: CallSpan, trace: TraceContext) {
    const count = 1 + call.phases.length
    if (this.#queued + count > MAX_QUEUED_SPANS)
      return this.#options.onDropped(count, 'too many spans are waiting for the collector')
    this.#queued += count
    for (const span of this.#toSpans(call, trace)) this.#processor.onEnd(span)
  }

  /** Sends what is queued, for a limited time. */
  async close(): Promise<void> {
    const late = new AbortController()
    const flushed = this.#processor.shutdown().catch(() => {})
    await Promise.race([flushed, delay(FLUSH_TIMEOUT_MS, undefined, { signal: late.signal }).catch(() => {})])
    late.abort()
    this.#closed = true
    const unsent = this.#queued + this.#sending
    if (unsent > 0) this.#options.onDropped(unsent, 'the server has stopped')
  }

  #toSpans(call: CallSpan, { trace_id, span_id, parent_id, flags, state }: TraceContext): ReadableSpan[] {
    const contextOf = (spanId: string): SpanContext => ({
      traceId: trace_id,
      spanId,
      traceFlags: Number.parseInt(flags, 16),
      ...(state !== undefined && { traceState: createTraceState(state) })
    })
    const own = contextOf(span_id)
    const parent = parent_id === undefined ? undefined : { ...contextOf(parent_id), isRemote: true }
    return [
      this.#toSpan(call, own, parent),
      ...call.phases.map(phase =>
        this.#toSpan({ ...phase, attributes: {}, isError: false }, contextOf(randomBytes(8).toString('hex')), own)
      )
    ]
  }

  #toSpan(
    { name, start, end, attributes, isError }: Omit<CallSpan, 'phases'>,
    context: SpanContext,
    parent: SpanContext | undefined
  ): ReadableSpan {
    const [startTime, endTime] = [millisToHrTime(start), millisToHrTime(end)]
    return {
      name,
      kind: SpanKind.INTERNAL,
      spanContext: () => context,
      ...(parent && { parentSpanContext: parent }),
      startTime,
      endTime,
      duration: hrTimeDuration(startTime, endTime),
      status: { code: isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
      attributes,
      links: [],
      events: [],
      ended: true,
      resource: this.#resource,
      instrumentationScope: { name: 'toolgate', version: this.#options.version },
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0
    }
  }
}
