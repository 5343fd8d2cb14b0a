// Progress events of one call or job in the journal. All are published, but only the newest are retained, so that a long call
// does not evict the history of others. The full output is stored separately and read by offset.

import type { Journal } from '../../events/journal.ts'
import type { NewEvent } from '../../protocol/events.ts'
import type { StoreWrite } from '../../store/store-schema.ts'

type ProgressEvent = Extract<NewEvent, { type: 'tool.progress' }>

/** Retained bytes of progress: between this and twice as much. */
export const RETAINED_BYTES = 524_288
/** Bytes of an event besides its text. */
const EVENT_OVERHEAD_BYTES = 256

export class ProgressLog {
  readonly #journal: Journal
  readonly #id: string
  /** Bytes published since `#mark`. */
  #bytes = 0
  /** Number of the newest event when the current slice began; events up to it are deleted with the next slice. */
  #mark = 0

  constructor(journal: Journal, tool_call_id: string) {
    this.#journal = journal
    this.#id = tool_call_id
  }

  /** Publishes the events, unless the disk has no room for them: the output is stored by itself. A journal that cannot be written stops the server. */
  append(events: ProgressEvent[]) {
    if (this.#journal.isBlocked) return
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
