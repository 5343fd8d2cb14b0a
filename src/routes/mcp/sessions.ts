// The sessions that are in memory: a bounded number, each until it has rested for a while. One that was let go comes back
// by its id.
import { ToolError } from '../../errors.ts'
import { type Belonging, Session } from './session.ts'

const MOST = 1_024
const REST_MS = 10 * 60_000
const BEAT_MS = 15_000
/** Ended ones whose ids are remembered, so that they stay ended. */
const MOST_ENDED = 4_096

export class Sessions {
  readonly #here = new Map<string, Session>()
  readonly #reviving = new Map<string, Promise<Session | undefined>>()
  readonly #ended = new Set<string>()
  readonly #timer = setInterval(() => this.#beat(), BEAT_MS).unref()

  async begin(...about: Parameters<typeof Session.begin>): Promise<Session> {
    return this.#enter(await Session.begin(...about))
  }

  /** The session of that id, if this token may use it. */
  async find(id: string, belonging: Belonging): Promise<Session | undefined> {
    if (this.#ended.has(id)) return undefined
    const here = this.#here.get(id)
    const session = here?.belongsTo(belonging.token) ? here : await this.#revive(id, belonging)
    if (session) session.seen = performance.now()
    return session
  }

  /** Ends a session for ever. */
  async end(session: Session) {
    this.#ended.add(session.id)
    const [oldest] = this.#ended
    if (this.#ended.size > MOST_ENDED) this.#ended.delete(oldest!)
    this.#here.delete(session.id)
    await session.end()
  }

  tellToolsChanged() {
    for (const session of this.#here.values()) session.tellToolsChanged()
  }

  /** Ends every stream, and nothing else: clients resume where the server goes on. */
  leave() {
    for (const { transport } of this.#here.values()) transport.leave()
  }

  async close() {
    clearInterval(this.#timer)
    await Promise.all([...this.#here.values()].map(session => session.end()))
    this.#here.clear()
  }

  /** Two requests may wake a session at once; it is woken once. */
  #revive(id: string, belonging: Belonging): Promise<Session | undefined> {
    const key = `${id} ${belonging.token}`
    const reviving =
      this.#reviving.get(key) ??
      Session.revive(id, belonging)
        .then(session => session && this.#enter(session))
        .finally(() => this.#reviving.delete(key))
    this.#reviving.set(key, reviving)
    return reviving
  }

  #enter(session: Session): Session {
    this.#letRest(this.#here.size >= MOST ? 1 : 0)
    if (this.#here.size >= MOST)
      throw new ToolError('OVERLOADED', `${MOST} sessions are busy already.`, { retry_after_ms: 1_000 })
    this.#here.set(session.id, session)
    return session
  }

  #beat() {
    for (const session of this.#here.values()) session.transport.beat()
    this.#letRest(0)
  }

  /** Lets go of what has rested for long, and of so many more that do nothing now. */
  #letRest(more: number) {
    const now = performance.now()
    const resting = [...this.#here.values()].filter(({ transport }) => !transport.busy).sort((a, b) => a.seen - b.seen)
    for (const [index, session] of resting.entries()) {
      if (index >= more && now - session.seen < REST_MS) break
      this.#here.delete(session.id)
      session.end().catch(() => {})
    }
  }
}
