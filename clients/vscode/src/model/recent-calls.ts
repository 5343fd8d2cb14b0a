// The latest calls of all sessions.
import type { Call, Client } from '../../../../src/client/client.ts'
import { Listeners } from './listeners.ts'

const MAX_CALLS = 50

export class RecentCalls {
  readonly changed = new Listeners()
  #calls: readonly Call[] = []

  /** Newest first, without those that wait for a decision. */
  get list(): readonly Call[] {
    return this.#calls
  }

  async load(client: Pick<Client, 'calls'>) {
    const { calls } = await client.calls({ limit: MAX_CALLS })
    this.#calls = calls.filter(({ status }) => status !== 'awaiting_approval')
    this.changed.notify()
  }

  clear() {
    this.#calls = []
    this.changed.notify()
  }
}
