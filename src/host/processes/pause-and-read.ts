// Waiting for the last of what a program printed.
import { setImmediate, setTimeout } from 'node:timers/promises'

/**
 * Resolves after this many milliseconds, once the event loop has read since what waits in its pipes. In a server that was busy,
 * a timer alone is due first, and what the program printed last would be given up unread.
 */
export async function pauseAndRead(ms: number): Promise<void> {
  await setTimeout(ms, undefined, { ref: false })
  await setImmediate()
}
