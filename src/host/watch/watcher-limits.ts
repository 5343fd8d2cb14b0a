// System limits for file watching.
import { readFileSync } from 'node:fs'

const DEFAULT_LIMITS = { max_user_watches: 8_192, max_queued_events: 16_384 }

/** Error codes that mean a limit is reached. */
export const LIMIT_ERROR_CODES: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM'])

export function readInotifyLimits() {
  const limit = (name: keyof typeof DEFAULT_LIMITS) => {
    try {
      return Number(readFileSync(`/proc/sys/fs/inotify/${name}`, 'latin1'))
    } catch {
      return DEFAULT_LIMITS[name]
    }
  }
  return { max_user_watches: limit('max_user_watches'), max_queued_events: limit('max_queued_events') }
}

// All watchers share one queue in the kernel, which drops events silently when it is full.
let eventsOfTurn = 0

/** Counts an event. Returns the number of events read in this turn of the event loop, from all watchers. */
export function countEvent(): number {
  if (eventsOfTurn === 0)
    setImmediate(() => {
      eventsOfTurn = 0
    })
  eventsOfTurn += 1
  return eventsOfTurn
}
