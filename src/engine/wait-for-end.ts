// Waiting for an end that may be far.

/** Whether it comes before so much time has passed, and before the one who waits has left. */
export async function endsWithin(end: Promise<unknown>, ms: number, leaving?: AbortSignal): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const leave = () => resolve(false)
  const timer = setTimeout(leave, ms)
  leaving?.addEventListener('abort', leave)
  if (leaving?.aborted) leave()
  const ended = await Promise.race([end.then(() => true), late])
  clearTimeout(timer)
  leaving?.removeEventListener('abort', leave)
  return ended
}
