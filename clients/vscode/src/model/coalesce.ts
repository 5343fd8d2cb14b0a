// Runs an action soon, and once for all requests that arrive until then.

/** Returns a function that requests a run. One run is made at a time; a request during a run causes another one. */
export function coalesce(ms: number, action: () => Promise<unknown>): { request(): void; dispose(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRunning = false
  let isRequested = false

  async function run() {
    timer = undefined
    isRunning = true
    isRequested = false
    // The next event requests another run.
    await action().catch(() => {})
    isRunning = false
    if (isRequested) request()
  }

  function request() {
    isRequested = true
    if (!isRunning) timer ??= setTimeout(run, ms)
  }
  return { request, dispose: () => clearTimeout(timer) }
}
