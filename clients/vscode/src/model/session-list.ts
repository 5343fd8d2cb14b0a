// Sessions of agents that are known in the window.
import type { SessionRef } from './modes.ts'
import type { Session } from './session.ts'

/** Returns the sessions of waiting calls, of set modes and of recent calls, in this order. */
export function listSessions({ calls, modes, recent }: Pick<Session, 'calls' | 'modes' | 'recent'>): SessionRef[] {
  const found = new Map<string, SessionRef>()
  const all: SessionRef[] = [...calls.entries.map(({ call }) => call), ...modes.list, ...recent.list]
  for (const { session_id, workspace } of all) {
    const key = JSON.stringify([session_id, workspace])
    if (!found.has(key)) found.set(key, { session_id, workspace })
  }
  return [...found.values()]
}
