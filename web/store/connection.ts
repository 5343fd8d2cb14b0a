// How this tab is connected: by itself, or by another tab that follows events for all.
import { computed, signal } from '@preact/signals'

export type ConnectionState =
  | { state: 'connecting' }
  | { state: 'live' }
  /** Hears what was missed: so many events are left. */
  | { state: 'replaying'; left: number }
  | { state: 'lost'; since: number }

export const connection = signal<ConnectionState>({ state: 'connecting' })
/** Which run of the server this is. */
export const instance = signal<string | undefined>(undefined)
export const isConnected = computed(() => connection.value.state === 'live')
