// Progress of one call, told at most twenty times a second: what came in between is put together.
import type { EventOf } from '../events/events.ts'
import type { Progress } from '../tool/tool.ts'

type Told = Pick<EventOf<'tool.progress'>, 'progress' | 'message' | 'delta'>
type Delta = NonNullable<Progress['delta']>

const INTERVAL_MS = 50
/** Output waits a moment: what a quick command prints is told together with its result, in one commit. */
const OUTPUT_MS = 20
/** Most text told at once; earlier text of the same moment is left out, and shows as a gap in the offsets. */
const DELTA_BYTES = 16_384
/** What a call may tell of its output at a stretch, and how fast it earns more: whoever wants all of it reads it by offset. */
const ALLOWANCE_BYTES = 4_194_304
const EARNED_BYTES_PER_MS = 64
/** Once it has told too much, it goes on only when it has earned so much. */
const RESUMED_BYTES = 1_048_576
const MORE = 'It prints more than is told here; all of it can be read by offset.'

export class ProgressTeller {
  readonly #tell: (events: Told[]) => void
  #next: Omit<Told, 'delta'> | undefined
  readonly #deltas = new Map<Delta['stream'], Delta>()
  #timer: NodeJS.Timeout | undefined
  #last = 0
  #allowance = ALLOWANCE_BYTES
  /** Output is left out at the moment, and that was told. */
  #withholding = false

  constructor(tell: (events: Told[]) => void) {
    this.#tell = tell
  }

  add({ progress, message, delta }: Progress) {
    if (progress !== undefined || message !== undefined)
      this.#next = {
        ...this.#next,
        ...(progress !== undefined && { progress }),
        ...(message !== undefined && { message })
      }
    if (delta) this.#deltas.set(delta.stream, bounded(joined(this.#deltas.get(delta.stream), delta)))
    if (this.#timer) return
    const wait = Math.max(this.#last + INTERVAL_MS - performance.now(), delta ? OUTPUT_MS : 0)
    if (wait <= 0) this.flush()
    else this.#timer = setTimeout(() => this.flush(), wait)
  }

  /** Tells what has gathered, now. */
  flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const now = performance.now()
    this.#allowance = Math.min(ALLOWANCE_BYTES, this.#allowance + (now - this.#last) * EARNED_BYTES_PER_MS)
    const [first, ...others] = this.#allowed([...this.#deltas.values()]).map(delta => ({ delta }))
    if (first || this.#next) this.#tell([{ ...this.#next, ...first }, ...others])
    this.#last = now
    this.#next = undefined
    this.#deltas.clear()
  }

  /** What may be told of them, all or none; that there is more is told once. */
  #allowed(deltas: Delta[]): Delta[] {
    if (deltas.length === 0) return []
    const bytes = deltas.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    const withhold = this.#allowance < (this.#withholding ? RESUMED_BYTES : bytes)
    if (withhold && !this.#withholding) this.#next = { message: MORE, ...this.#next }
    this.#withholding = withhold
    if (withhold) return []
    this.#allowance -= bytes
    return deltas
  }
}

const joined = (before: Delta | undefined, delta: Delta): Delta => {
  const follows = before && before.offset + Buffer.byteLength(before.text) === delta.offset
  return follows ? { ...before, text: before.text + delta.text } : delta
}

function bounded(delta: Delta): Delta {
  const bytes = Buffer.from(delta.text)
  if (bytes.length <= DELTA_BYTES) return delta
  let from = bytes.length - DELTA_BYTES
  // Never begin inside a character.
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  return { ...delta, text: bytes.subarray(from).toString(), offset: delta.offset + from }
}
