// The current state of each session.
import { signal } from '@preact/signals'
import type { Event, State } from '../../src/client/client.ts'

export type SessionState = State['sessions'][string]

export const sessions = signal<Readonly<Record<string, SessionState>>>({})

export function applySessionEvent(event: Event) {
  if (event.type === 'agent.state' && event.session_id !== undefined)
    sessions.value = { ...sessions.peek(), [event.session_id]: event.state }
}
