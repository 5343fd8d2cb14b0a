// Throttles a signal that changes often.
import { effect, type ReadonlySignal, signal } from '@preact/signals'

/** Follows a signal: immediately after a pause, then at most once every `ms`. `stop` ends it. */
export function throttled<T>(source: ReadonlySignal<T>, ms: number): { value: ReadonlySignal<T>; stop: () => void } {
  const followed = signal(source.peek())
  let timer: ReturnType<typeof setTimeout> | undefined
  const take = () => {
    timer = undefined
    if (followed.peek() === source.peek()) return
    followed.value = source.peek()
    timer = setTimeout(take, ms)
  }
  const end = effect(() => {
    source.value
    if (timer === undefined) take()
  })
  return {
    value: followed,
    stop: () => {
      end()
      clearTimeout(timer)
    }
  }
}
