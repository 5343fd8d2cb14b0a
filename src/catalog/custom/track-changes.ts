// Tracks file changes of custom tools, so that they are reported as changes of the call, whatever its outcome.
import type { Context, Progress } from '../../tool/tool.ts'

/** Timeout in milliseconds for scanning all files before and after. */
export const TRACKING_TIMEOUT_MS = 60_000
/** Milliseconds after the tool's timeout in which its processes are ended and their leftovers removed. */
export const CLEANUP_TIMEOUT_MS = 5_000

export async function* withChangeTracking<T>(
  { host }: Context,
  running: AsyncGenerator<Progress, T>
): AsyncGenerator<Progress, T> {
  const tracking = await host.track()
  try {
    return yield* running
  } finally {
    await tracking.finish()
  }
}
