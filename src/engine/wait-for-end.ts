// Waiting for an end that may be far.

/** Whether it comes before so much time has passed, and before the one who waits has left. */
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
