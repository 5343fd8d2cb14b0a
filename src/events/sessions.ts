// What each session is doing: idle, waiting for a decision, or running tools. A change is told once the present turn
// of work is over, so that a call answered at once makes no noise.
import type { SESSION_STATES } from './events.ts'
import type { Journal } from './journal.ts'

type SessionState = (typeof SESSION_STATES)[number]
/** What one call adds to its session's state; undefined once it has ended. */
export type Activity = 'awaiting_approval' | 'tool_execution' | undefined

interface Session {
  counts: { awaiting_approval: number; tool_execution: number }
  told: SessionState
}

export class Sessions {
  readonly #journal: Journal
  readonly #sessions = new Map<string, Session>()
  readonly #moved = new Set<string>()

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /** One call of a session goes from one activity to another. */
  move(session_id: string, from: Activity, to: Activity) {
    if (from === to) return
    const session = this.#sessions.get(session_id) ?? {
      counts: { awaiting_approval: 0, tool_execution: 0 },
      told: 'idle'
    }
    this.#sessions.set(session_id, session)
    if (from) session.counts[from] -= 1
    if (to) session.counts[to] += 1
    if (this.#moved.size === 0) setImmediate(() => this.#tell())
    this.#moved.add(session_id)
  }

  /** The sessions that are not idle. */
  states(): Record<string, SessionState> {
    const busy = [...this.#sessions].map(([id, session]) => [id, stateOf(session)] as const)
    return Object.fromEntries(busy.filter(([, state]) => state !== 'idle'))
  }

  #tell() {
    const changed = [...this.#moved].map(id => ({ id, session: this.#sessions.get(id)! }))
    this.#moved.clear()
    const events = changed.flatMap(({ id, session }) => {
      const state = stateOf(session)
      const tell = state !== session.told
      session.told = state
      if (state === 'idle') this.#sessions.delete(id)
      return tell ? [{ type: 'agent.state' as const, session_id: id, state }] : []
    })
    if (events.length > 0) this.#journal.append(events).catch(() => {})
  }
}

const stateOf = ({ counts }: Session): SessionState =>
  counts.tool_execution > 0 ? 'tool_execution' : counts.awaiting_approval > 0 ? 'awaiting_approval' : 'idle'
