// Limits the notifications of one server: a server that floods must not keep others waiting. Excess is dropped, since no
// notification is needed for a result; only a changed list of tools is always learned of, once per interval at most.
import type { JSONRPCMessage } from '@modelcontextprotocol/client'

/** More than the events of progress that its calls can show. */
const MAX_NOTIFICATIONS_PER_INTERVAL = 200
const INTERVAL_MS = 1_000
const TOOLS_CHANGED = 'notifications/tools/list_changed'

interface NotificationLimiterOptions {
  /** Receives a delayed notification once it is due. */
  forward(message: JSONRPCMessage): void
  /** The first notification was dropped. */
  onFlood(): void
}

export class NotificationLimiter {
  readonly #options: NotificationLimiterOptions
  #windowStart = Number.NEGATIVE_INFINITY
  #inWindow = 0
  #dropped = 0
  #toolsChangedAt = Number.NEGATIVE_INFINITY
  #delayed: NodeJS.Timeout | undefined

  constructor(options: NotificationLimiterOptions) {
    this.#options = options
  }

  /** Number of notifications dropped for their rate. */
  get dropped(): number {
    return this.#dropped
  }

  /** Checks if a message may be handled now. Requests and responses always may. */
  admits(message: JSONRPCMessage): boolean {
    if ('id' in message || !('method' in message)) return true
    return message.method === TOOLS_CHANGED ? this.#admitsToolsChanged(message) : this.#admitsNotification()
  }

  close() {
    clearTimeout(this.#delayed)
  }

  #admitsNotification(): boolean {
    const now = performance.now()
    if (now - this.#windowStart >= INTERVAL_MS) {
      this.#windowStart = now
      this.#inWindow = 0
    }
    this.#inWindow += 1
    if (this.#inWindow <= MAX_NOTIFICATIONS_PER_INTERVAL) return true
    this.#dropped += 1
    if (this.#dropped === 1) this.#options.onFlood()
    return false
  }

  /** Merges those that come while one is delayed into it. */
  #admitsToolsChanged(message: JSONRPCMessage): boolean {
    if (this.#delayed) return false
    const wait = this.#toolsChangedAt + INTERVAL_MS - performance.now()
    if (wait <= 0) {
      this.#toolsChangedAt = performance.now()
      return true
    }
    this.#delayed = setTimeout(() => {
      this.#delayed = undefined
      this.#toolsChangedAt = performance.now()
      this.#options.forward(message)
    }, wait).unref()
    return false
  }
}
