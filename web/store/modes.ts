// Modes of sessions that a person has set, and the mode of all others.
import { signal } from '@preact/signals'
import type { SessionModeList, SetSessionMode } from '../../src/client/client.ts'

/** A session as its calls name it; `token_id` where the mode of one token's session is meant. */
export type SessionRef = Pick<SetSessionMode, 'session_id' | 'workspace' | 'token_id'>

/** Longest delay of a timer that browsers support, rounded down to days. */
const MAX_TIMER_MS = 24 * 24 * 60 * 60 * 1_000

export const modes = signal<SessionModeList>({ default: 'ask', modes: [] })
let expiry: ReturnType<typeof setTimeout> | undefined

/** Replaces the modes. Each is removed when it expires: the server reports that only once it looks. */
export function putModes(list: SessionModeList) {
  clearTimeout(expiry)
  const now = Date.now()
  const left = list.modes.filter(({ expires_at }) => expires_at === null || Date.parse(expires_at) > now)
  modes.value = { ...list, modes: left }
  const ends = left.flatMap(({ expires_at }) => (expires_at === null ? [] : [Date.parse(expires_at)]))
  if (ends.length > 0) expiry = setTimeout(() => putModes(list), Math.min(Math.min(...ends) - now, MAX_TIMER_MS))
}

/** Returns the modes set for a session: for each token that uses its name, unless one is given. */
export const findModes = ({ session_id, workspace, token_id }: SessionRef): SetSessionMode[] =>
  modes.value.modes.filter(
    set =>
      set.session_id === session_id &&
      set.workspace === workspace &&
      (token_id === undefined || set.token_id === token_id)
  )
