// Runs work with progress inside a tool: yields the progress and returns the result.
import type { Progress } from './result.ts'

export async function* withProgress<T>(
  work: (report: (step: Progress) => void) => Promise<T>
): AsyncGenerator<Progress, T> {
  const pending: Progress[] = []
  let wake = () => {}
  let done = false
  const running = work(step => {
    pending.push(step)
    wake()
  }).finally(() => {
    done = true
    wake()
  })
  running.catch(() => {})
  for (;;) {
    const step = pending.shift()
    if (step) yield step
    else if (done) return running
    else {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
  }
}

const STATUS_INTERVAL_MS = 1_000

/** Runs work with progress, and also reports its status every second, so that quick work reports none. */
export const withStatus = <T>(
  getStatus: () => Progress,
  work: (report: (step: Progress) => void) => Promise<T>
): AsyncGenerator<Progress, T> =>
  withProgress(async report => {
    const timer = setInterval(() => report(getStatus()), STATUS_INTERVAL_MS)
    try {
      return await work(report)
    } finally {
      clearInterval(timer)
    }
  })
