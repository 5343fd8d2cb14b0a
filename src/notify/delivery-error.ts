// Error of a failed delivery.

/** A failed delivery. The message is shown to people: it contains no secret. */
export class DeliveryError extends Error {
  /** The same attempt would fail again, so that there is none. */
  readonly isPermanent: boolean
  /** Minimum pause before the next attempt. */
  readonly retryAfterMs: number

  constructor(message: string, { isPermanent = false, retryAfterMs = 0, cause }: DeliveryErrorOptions = {}) {
    super(message, { cause })
    this.name = 'DeliveryError'
    this.isPermanent = isPermanent
    this.retryAfterMs = retryAfterMs
  }
}

interface DeliveryErrorOptions extends ErrorOptions {
  isPermanent?: boolean
  retryAfterMs?: number
}
