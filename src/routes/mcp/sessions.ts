// Sessions in memory: a bounded number, each evicted after an idle time. An evicted one is restored by its id.
import { ToolError } from '../../errors.ts'
import { McpSession, type SessionOwner } from './session.ts'

const MAX_SESSIONS = 1_024
const SESSION_IDLE_TIMEOUT_MS = 10 * 60_000
const HEARTBEAT_MS = 15_000
/** Number of ended sessions whose ids are remembered, so that they are not restored. */
const MAX_ENDED_IDS = 4_096

export class McpSessions {
  readonly #active = new Map<string, McpSession>()
  readonly #reviving = new Map<string, Promise<McpSession | undefined>>()
  readonly #ended = new Set<string>()
  readonly #timer = setInterval(() => this.#heartbeat(), HEARTBEAT_MS).unref()

  async create(...about: Parameters<typeof McpSession.create>): Promise<McpSession> {
    return this.#add(await McpSession.create(...about))
  }

  /** Returns the session of that id, if this token may use it. */
  async find(id: string, belonging: SessionOwner): Promise<McpSession | undefined> {
    if (this.#ended.has(id)) return undefined
    const here = this.#active.get(id)
    const session = here?.belongsTo(belonging.token) ? here : await this.#revive(id, belonging)
    if (session) session.lastUsedAt = performance.now()
    return session
  }

  /** Ends a session permanently. */
  async end(session: McpSession) {
    this.#ended.add(session.id)
    const [oldest] = this.#ended
    if (this.#ended.size > MAX_ENDED_IDS) this.#ended.delete(oldest!)
    this.#active.delete(session.id)
    await session.end()
  }

  notifyToolsChanged() {
    for (const session of this.#active.values()) session.notifyToolsChanged()
  }

  /** Ends only the streams: clients resume when the server is back. */
  closeStreams() {
    for (const { transport } of this.#active.values()) transport.closeStreams()
  }

  async close() {
    clearInterval(this.#timer)
    await Promise.all([...this.#active.values()].map(session => session.end()))
    this.#active.clear()
  }

  /** Concurrent requests share one restore. */
  #revive(id: string, belonging: SessionOwner): Promise<McpSession | undefined> {
    const key = `${id} ${belonging.token}`
    const reviving =
      this.#reviving.get(key) ??
      McpSession.revive(id, belonging)
        .then(session => session && this.#add(session))
        .finally(() => this.#reviving.delete(key))
    this.#reviving.set(key, reviving)
    return reviving
  }

  #add(session: McpSession): McpSession {
    this.#evictIdle(this.#active.size >= MAX_SESSIONS ? 1 : 0)
    if (this.#active.size >= MAX_SESSIONS)
      throw new ToolError(
        'OVERLOADED',
        `${MAX_SESSIONS} MCP sessions are busy, which is the maximum. Try again later.`,
        { retry_after_ms: 1_000 }
      )
    this.#active.set(session.id, session)
    return session
  }

  #heartbeat() {
    for (const session of this.#active.values()) session.transport.heartbeat()
    this.#evictIdle(0)
  }

  /** Evicts expired sessions, and as many idle ones as needed. */
  #evictIdle(more: number) {
    const now = performance.now()
    const resting = [...this.#active.values()]
      .filter(({ transport }) => !transport.isBusy)
      .sort((a, b) => a.lastUsedAt - b.lastUsedAt)
    for (const [index, session] of resting.entries()) {
      if (index >= more && now - session.lastUsedAt < SESSION_IDLE_TIMEOUT_MS) break
      this.#active.delete(session.id)
      session.end().catch(() => {})
    }
  }
}
