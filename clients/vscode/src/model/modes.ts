// Modes of sessions: which calls run without approval.
import type { Client, SessionModeList, SetSessionMode } from '../../../../src/client/client.ts'
import { Listeners } from './listeners.ts'

/** All modes, from the strictest to the loosest, with what each one allows. */
export const MODES = {
  plan: 'only reads',
  ask: 'the rules decide',
  'accept-edits': 'edits of files in the workspace run without approval',
  auto: 'also commands in the sandbox, and deletions that can be undone'
} as const
export type Mode = keyof typeof MODES

/** A session, as calls name it. */
export interface SessionRef {
  readonly session_id: string
  readonly workspace: string
}

/** Longer timers fire at once. */
const MAX_TIMER_MS = 24 * 60 * 60 * 1_000

export class Modes {
  readonly changed = new Listeners()
  #list: SessionModeList = { default: 'ask', modes: [] }
  #expiry: ReturnType<typeof setTimeout> | undefined

  /** The mode of sessions for which no mode was set. */
  get default(): Mode {
    return this.#list.default
  }

  /** The modes that were set, the latest last. */
  get list(): readonly SetSessionMode[] {
    return this.#list.modes
  }

  async load(client: Pick<Client, 'modes'>) {
    this.#list = await client.modes()
    this.changed.notify()
    this.#notifyAtExpiry()
  }

  dispose() {
    clearTimeout(this.#expiry)
  }

  /** A mode that expires has no event. */
  #notifyAtExpiry() {
    clearTimeout(this.#expiry)
    const now = Date.now()
    const ends = this.#list.modes
      .map(({ expires_at }) => (expires_at === null ? Number.NaN : Date.parse(expires_at)))
      .filter(end => end > now)
    if (ends.length === 0) return
    this.#expiry = setTimeout(
      () => {
        this.changed.notify()
        this.#notifyAtExpiry()
      },
      Math.min(Math.min(...ends) - now + 1, MAX_TIMER_MS)
    )
  }

  /** Returns the mode of a session. It has several if its tokens have different ones. */
  of({ session_id, workspace }: SessionRef): string {
    const found = this.#list.modes
      .filter(set => set.session_id === session_id && set.workspace === workspace)
      .map(({ mode }) => mode)
    return found.length > 0 ? [...new Set(found)].join(', ') : this.default
  }

  /** Returns the loosest mode that is in effect, for the status bar. */
  loosest(now: Date): Mode {
    const order = Object.keys(MODES) as Mode[]
    const set = this.#list.modes.filter(({ expires_at }) => expires_at === null || new Date(expires_at) > now)
    return set
      .map(({ mode }) => mode)
      .reduce((one, other) => (order.indexOf(other) > order.indexOf(one) ? other : one), this.default)
  }
}
