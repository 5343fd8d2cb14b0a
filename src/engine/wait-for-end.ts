// Waits for an end with a timeout that may be long.

/** Returns true if `end` settles before `ms` milliseconds have passed and before `signal` aborts. */
export async function waitForEnd(end: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const leave = () => resolve(false)
  const timer = setTimeout(leave, ms)
  signal?.addEventListener('abort', leave)
  if (signal?.aborted) leave()
  const ended = await Promise.race([end.then(() => true), late])
  clearTimeout(timer)
  signal?.removeEventListener('abort', leave)
  return ended
}
