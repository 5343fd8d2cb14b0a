// Runs work with progress inside a tool: yields the progress and returns the result.
import type { Progress } from './tool.ts'

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
