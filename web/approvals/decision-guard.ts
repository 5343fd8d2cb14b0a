// Ignores input for a moment after a card appears or changes, or the window gets the focus: such clicks and keys were meant for
// something else.
import { useEffect, useRef, useState } from 'preact/hooks'

/** Length of that moment. */
export const GUARD_MS = 500

export interface DecisionGuard {
  /** True if buttons look enabled. */
  isReady: boolean
  /** Returns whether a click is accepted now. */
  acceptsClick: () => boolean
  /** Returns whether a key is accepted: keys are also ignored after the card has got the focus. */
  acceptsKey: () => boolean
  /** Ignores keys for the same time from now on. */
  ignoreKeys: () => void
}

/** Creates a guard that restarts whenever `what` changes: a call and the preview shown of it. */
export function useGuard(what: string): DecisionGuard {
  const since = useRef({ what: '', shown: 0, focused: 0 })
  const [wakes, setWakes] = useState(0)
  const [rested, setRested] = useState<string>()
  // Ignored until it is painted, however long that takes.
  if (since.current.what !== what) Object.assign(since.current, { what, shown: Number.POSITIVE_INFINITY })
  useEffect(() => {
    since.current.shown = performance.now()
  }, [what])
  useEffect(() => {
    const woken = () => {
      since.current.shown = performance.now()
      setWakes(n => n + 1)
    }
    addEventListener('focus', woken)
    return () => removeEventListener('focus', woken)
  }, [])
  const now = `${what} ${wakes}`
  useEffect(() => {
    const timer = setTimeout(setRested, GUARD_MS, now)
    return () => clearTimeout(timer)
  }, [now])
  const over = (time: number) => performance.now() - time >= GUARD_MS
  const acceptsClick = () => over(since.current.shown)
  return {
    isReady: rested === now,
    acceptsClick,
    acceptsKey: () => acceptsClick() && over(since.current.focused),
    ignoreKeys: () => {
      since.current.focused = performance.now()
    }
  }
}
