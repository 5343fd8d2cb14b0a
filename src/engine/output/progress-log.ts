// The progress of one call or job in the journal. All of it is told; of what a long one has told only the newest is kept,
// so that it pushes nobody else's history out. What was printed is kept elsewhere, whole, and read by offset.
import type { NewEvent } from '../../events/events.ts'
import type { Journal } from '../../events/journal.ts'
import type { StoreWrite } from '../../store/store.ts'

type ProgressEvent = Extract<NewEvent, { type: 'tool.progress' }>

/** The newest of it stays: between so much and twice that. */
export const RETAINED_BYTES = 524_288
/** What an event takes beside the text in it. */
const EVENT_OVERHEAD_BYTES = 256

export class ProgressLog {
  readonly #journal: Journal
  readonly #id: string
  /** What was told since `#mark`, in bytes. */
  #bytes = 0
  /** Number of the newest event when the present slice began; what was told up to then goes with the next slice. */
  #mark = 0

  constructor(journal: Journal, tool_call_id: string) {
    this.#journal = journal
    this.#id = tool_call_id
  }

  /** Tells these. A journal that cannot be written ends the server by itself. */
  append(events: ProgressEvent[]) {
    for (const { delta, message = '' } of events)
      this.#bytes += EVENT_OVERHEAD_BYTES + Buffer.byteLength(delta?.text ?? '') + Buffer.byteLength(message)
    const over = this.#bytes > RETAINED_BYTES ? this.#startNextSlice() : []
    this.#journal.append(events, () => over).catch(() => {})
  }

  #startNextSlice(): StoreWrite[] {
    const before = this.#mark
    this.#mark = this.#journal.last
    this.#bytes = 0
    return before > 0 ? [['forgetProgressUpTo', this.#id, before]] : []
  }
}
