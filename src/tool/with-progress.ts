// Work that tells how far it is, as a tool runs: what it tells is yielded, and its end is the answer.
import type { Progress } from './tool.ts'

export async function* telling<T>(work: (tell: (step: Progress) => void) => Promise<T>): AsyncGenerator<Progress, T> {
  const told: Progress[] = []
  let wake = () => {}
  let over = false
  const working = work(step => {
    told.push(step)
    wake()
  }).finally(() => {
    over = true
    wake()
  })
  working.catch(() => {})
  for (;;) {
    const step = told.shift()
    if (step) yield step
    else if (over) return working
    else {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
  }
}
