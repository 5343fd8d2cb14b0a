// Modes of sessions that a person has set. A mode is for one token's session in one workspace, persists across restarts, and may expire.
import { ToolError } from '../../errors.ts'
import type { Journal } from '../../events/journal.ts'
import type { AllowUndefined } from '../../protocol/allow-undefined.ts'
import type { NewMode, SessionScope, SetSessionMode } from '../../protocol/session-mode.ts'
import { steadyNow } from '../../steady-time.ts'
import type { Store } from '../../store/store.ts'

interface ModeScope extends Pick<SetSessionMode, 'session_id' | 'workspace'> {
  token_id?: string | undefined
}

/** A session as a person names it. */
export type NamedSession = AllowUndefined<SessionScope>

/** A mode that a person sets for a session. */
export type NewSessionMode = AllowUndefined<NewMode> & NamedSession

export class SessionModes {
  readonly #journal: Journal
  readonly #modes = new Map<string, SetSessionMode>()

  constructor(journal: Journal, store: Pick<Store, 'sessionModes'>) {
    this.#journal = journal
    for (const json of store.sessionModes()) {
      const mode = JSON.parse(json) as SetSessionMode
      this.#modes.set(keyOf(mode), mode)
    }
  }

  /** Lists the modes that have not expired, in the order in which they were set. */
  list(): SetSessionMode[] {
    const now = steadyNow()
    for (const set of this.#modes.values())
      if (set.expires_at !== null && Date.parse(set.expires_at) <= now) void this.#remove(set)
    return [...this.#modes.values()]
  }

  /** Returns the mode of a session; undefined if none is set. */
  find(scope: ModeScope): SetSessionMode | undefined {
    if (this.#modes.size === 0) return undefined
    return this.list().find(set => keyOf(set) === keyOf(scope))
  }

  /** Sets a mode; resolves when it is durable. Throws INVALID_PARAMS if it would have expired. */
  async set(set: SetSessionMode): Promise<SetSessionMode> {
    if (set.expires_at !== null && Date.parse(set.expires_at) <= steadyNow())
      throw new ToolError('INVALID_PARAMS', 'expires_at is in the past.', {
        errors: [{ pointer: '/expires_at', message: 'must be in the future' }]
      })
    await this.#journal.append([toEvent(set, set.mode)], () => [['setMode', keyOf(set), JSON.stringify(set)]])
    // The latest is the last in the list.
    this.#modes.delete(keyOf(set))
    this.#modes.set(keyOf(set), set)
    return set
  }

  /** Returns a session to the configured mode; resolves when that is durable. */
  async clear(scope: ModeScope): Promise<void> {
    const set = this.#modes.get(keyOf(scope))
    if (set) await this.#remove(set)
  }

  #remove(set: SetSessionMode) {
    this.#modes.delete(keyOf(set))
    return this.#journal.append([toEvent(set, null)], () => [['forgetMode', keyOf(set)]])
  }
}

/** Returns what no other mode has. */
export const keyOf = ({ workspace, session_id, token_id = '' }: ModeScope) =>
  JSON.stringify([workspace, token_id, session_id])

const toEvent = (
  { session_id, workspace, token_id, expires_at, set_by }: SetSessionMode,
  mode: SetSessionMode['mode'] | null
) => ({
  type: 'session.mode' as const,
  session_id,
  workspace,
  mode,
  set_by,
  ...(token_id !== undefined && { token_id }),
  ...(mode !== null && expires_at !== null && { expires_at })
})
