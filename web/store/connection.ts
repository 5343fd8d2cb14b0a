// The connection of this tab: direct, or through another tab that follows events for all.
import { computed, signal } from '@preact/signals'

export type ConnectionState =
  | { state: 'connecting' }
  | { state: 'live' }
  /** Replays missed events: number left. */
  | { state: 'replaying'; left: number }
  | { state: 'lost'; since: number }

export const connection = signal<ConnectionState>({ state: 'connecting' })
/** Identifies the run of the server. */
export const instance = signal<string | undefined>(undefined)
export const isConnected = computed(() => connection.value.state === 'live')
