/** Rejects only after all promises have settled: none may still write to a descriptor that gets closed. */
export async function settleAll<T extends unknown[]>(...work: T): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
