// State of each session: idle, waiting for a decision, or running tools. A change is published after the current tick, so that a
// call that ends at once causes no events.
import type { SESSION_STATES } from '../protocol/events.ts'
import type { Journal } from './journal.ts'

type SessionState = (typeof SESSION_STATES)[number]
/** A call's contribution to its session's state; undefined once it has ended. */
export type Activity = 'awaiting_approval' | 'tool_execution' | undefined

interface Session {
  counts: { awaiting_approval: number; tool_execution: number }
  publishedState: SessionState
}

export class Sessions {
  readonly #journal: Journal
  readonly #sessions = new Map<string, Session>()
  readonly #changed = new Set<string>()

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /** Moves one call of a session from one activity to another. */
  transition(session_id: string, from: Activity, to: Activity) {
    if (from === to) return
    const session = this.#sessions.get(session_id) ?? {
      counts: { awaiting_approval: 0, tool_execution: 0 },
      publishedState: 'idle'
    }
    this.#sessions.set(session_id, session)
    if (from) session.counts[from] -= 1
    if (to) session.counts[to] += 1
    if (this.#changed.size === 0) setImmediate(() => this.#publish())
    this.#changed.add(session_id)
  }

  /** Returns the sessions that are not idle. */
  states(): Record<string, SessionState> {
    const busy = [...this.#sessions].map(([id, session]) => [id, getState(session)] as const)
    return Object.fromEntries(busy.filter(([, state]) => state !== 'idle'))
  }

  #publish() {
    const changed = [...this.#changed].map(id => ({ id, session: this.#sessions.get(id)! }))
    this.#changed.clear()
    const events = changed.flatMap(({ id, session }) => {
      const state = getState(session)
      const hasChanged = state !== session.publishedState
      session.publishedState = state
      if (state === 'idle') this.#sessions.delete(id)
      return hasChanged ? [{ type: 'agent.state' as const, session_id: id, state }] : []
    })
    if (events.length > 0) this.#journal.append(events).catch(() => {})
  }
}

const getState = ({ counts }: Session): SessionState =>
  counts.tool_execution > 0 ? 'tool_execution' : counts.awaiting_approval > 0 ? 'awaiting_approval' : 'idle'
