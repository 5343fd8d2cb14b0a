// What the system allows whoever watches folders.
import { readFileSync } from 'node:fs'

const DEFAULT_LIMITS = { max_user_watches: 8_192, max_queued_events: 16_384 }

/** Codes of the errors that say a limit is reached. */
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

// Events of all watchers wait in one queue of the kernel, which drops them silently when it is full.
let eventsOfTurn = 0

/** Counts an event. Answers how many have been read in this turn of the event loop, from whatever watch. */
export function countEvent(): number {
  if (eventsOfTurn === 0)
    setImmediate(() => {
      eventsOfTurn = 0
    })
  eventsOfTurn += 1
  return eventsOfTurn
}
