// Times of further attempts to deliver a notification: an exponential back-off with jitter.

export interface RetryLimits {
  retry_ms: number
  max_retry_ms: number
  tries: number
  give_up_ms: number
}

/** Each pause is so many times as long as the one before. */
const FACTOR = 4

/** Returns the pause after so many failed attempts; `random` is from 0 to 1. */
export function computePause(attempts: number, { retry_ms, max_retry_ms }: RetryLimits, random: number): number {
  const pause = Math.min(retry_ms * FACTOR ** (attempts - 1), max_retry_ms)
  return pause * (0.75 + random / 2)
}
