// The current time, for components that show an age.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const TICK_MS = 1_000

/** Returns the current time; updates each second while it matters. */
export function useNow(matters: boolean): number {
  const now = useSignal(Date.now())
  useEffect(() => {
    now.value = Date.now()
    if (!matters) return
    const timer = setInterval(() => {
      now.value = Date.now()
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [matters])
  return now.value
}
