// Events of single calls, by call: one reader of the journal, shared by all MCP requests that wait.

import type { Journal } from '../../events/journal.ts'
import type { NewEvent } from '../../protocol/events.ts'

type Listener = (event: NewEvent) => void

export class CallFeed {
  readonly #journal: Pick<Journal, 'listen'>
  readonly #listeners = new Map<string, Set<Listener>>()
  #unlisten: (() => void) | undefined

  constructor(journal: Pick<Journal, 'listen'>) {
    this.#journal = journal
  }

  /** Subscribes to the events of a call. Returns a function that unsubscribes. */
  subscribe(tool_call_id: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(tool_call_id) ?? new Set()
    this.#listeners.set(tool_call_id, listeners.add(listener))
    this.#unlisten ??= this.#journal.listen(entries => {
      for (const { event } of entries)
        if (event.tool_call_id !== undefined)
          for (const each of [...(this.#listeners.get(event.tool_call_id) ?? [])]) each(event)
    })
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#listeners.delete(tool_call_id)
      if (this.#listeners.size > 0) return
      this.#unlisten?.()
      this.#unlisten = undefined
    }
  }
}
