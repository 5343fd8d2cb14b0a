// Throttle for the progress of one call: at most ten events per second, with updates in between merged.
import type { EventOf } from '../../protocol/events.ts'
import type { Progress } from '../../tool/result.ts'

type ProgressUpdate = Pick<EventOf<'tool.progress'>, 'progress' | 'message' | 'delta'>
type Delta = NonNullable<Progress['delta']>

/** Minimum time per event: three streams in one flush take three times as long. */
const MIN_INTERVAL_MS = 100
/** Delays output, so that the output of a quick command is committed together with its result. */
const OUTPUT_DELAY_MS = 20
/** Maximum size of one delta in bytes; earlier text of the same interval is dropped, which shows as a gap in the offsets. */
const MAX_DELTA_BYTES = 32_768
/** Token bucket for output: burst size in bytes and refill rate. The full output can be read by offset. */
const MAX_BURST_BYTES = 4_194_304
const REFILL_BYTES_PER_MS = 64
/** Bytes that the bucket must refill to before output resumes after it ran empty. */
const RESUME_THRESHOLD_BYTES = 1_048_576
const OUTPUT_OMITTED = 'Some output is omitted here. To read all of it, read the output by offset.'

export class ProgressThrottle {
  readonly #emit: (events: ProgressUpdate[]) => void
  #pending: Omit<ProgressUpdate, 'delta'> | undefined
  readonly #deltas = new Map<Delta['stream'], Delta>()
  #timer: NodeJS.Timeout | undefined
  #lastFlush = 0
  /** Time before which no further event may be emitted. */
  #nextFlush = 0
  #allowance = MAX_BURST_BYTES
  /** Output is currently being withheld, which has been reported. */
  #withholding = false

  constructor(emit: (events: ProgressUpdate[]) => void) {
    this.#emit = emit
  }

  add({ progress, message, delta }: Progress) {
    if (progress !== undefined || message !== undefined)
      this.#pending = {
        ...this.#pending,
        ...(progress !== undefined && { progress }),
        ...(message !== undefined && { message })
      }
    if (delta) this.#deltas.set(delta.stream, truncateDelta(appendDelta(this.#deltas.get(delta.stream), delta)))
    if (this.#timer) return
    const wait = Math.max(this.#nextFlush - performance.now(), delta ? OUTPUT_DELAY_MS : 0)
    if (wait <= 0) this.flush()
    else this.#timer = setTimeout(() => this.flush(), wait)
  }

  /** Emits the pending updates now. */
  flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const now = performance.now()
    this.#allowance = Math.min(MAX_BURST_BYTES, this.#allowance + (now - this.#lastFlush) * REFILL_BYTES_PER_MS)
    const [first, ...others] = this.#withinAllowance([...this.#deltas.values()]).map(delta => ({ delta }))
    if (first || this.#pending) this.#emit([{ ...this.#pending, ...first }, ...others])
    this.#lastFlush = now
    this.#nextFlush = now + MIN_INTERVAL_MS * (1 + others.length)
    this.#pending = undefined
    this.#deltas.clear()
  }

  /** Returns the deltas if the allowance covers them all, else none; reports once that output is omitted. */
  #withinAllowance(deltas: Delta[]): Delta[] {
    if (deltas.length === 0) return []
    const bytes = deltas.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    const withhold = this.#allowance < (this.#withholding ? RESUME_THRESHOLD_BYTES : bytes)
    if (withhold && !this.#withholding) this.#pending = { message: OUTPUT_OMITTED, ...this.#pending }
    this.#withholding = withhold
    if (withhold) return []
    this.#allowance -= bytes
    return deltas
  }
}

const appendDelta = (before: Delta | undefined, delta: Delta): Delta => {
  const follows = before && before.offset + Buffer.byteLength(before.text) === delta.offset
  return follows ? { ...before, text: before.text + delta.text } : delta
}

function truncateDelta(delta: Delta): Delta {
  const bytes = Buffer.from(delta.text)
  if (bytes.length <= MAX_DELTA_BYTES) return delta
  let from = bytes.length - MAX_DELTA_BYTES
  // Never start inside a UTF-8 sequence.
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  return { ...delta, text: bytes.subarray(from).toString(), offset: delta.offset + from }
}
