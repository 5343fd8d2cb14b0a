// What tools of users change: it is told as changes of the call, whatever becomes of that.
import type { Context, Progress } from '../../tool/tool.ts'

/** For looking at all files before and after. */
export const TRACKING_TIMEOUT_MS = 60_000
/** For what was started to be ended, and what it left to be swept up, after the tool's own time limit. */
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
