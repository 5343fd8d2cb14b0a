// Waits for the last output of a program.
import { setImmediate, setTimeout } from 'node:timers/promises'

/**
 * Resolves after this many milliseconds, once the event loop has also read the pending pipe data. In a busy server a timer alone
 * fires first, and the program's last output would be lost unread.
 */
export async function pauseAndRead(ms: number): Promise<void> {
  await setTimeout(ms, undefined, { ref: false })
  await setImmediate()
}
