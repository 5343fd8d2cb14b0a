// The time, for what grows older while one looks.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const TICK_MS = 1_000

/** The time now; told anew each second while it matters. */
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
