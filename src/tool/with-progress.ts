// Work that tells how far it is, as a tool runs: what it tells is yielded, and its end is the answer.
import type { Progress } from './tool.ts'

export async function* withProgress<T>(
  work: (tell: (step: Progress) => void) => Promise<T>
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
