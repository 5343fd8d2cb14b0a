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
  /** True if keys are accepted: the card has had the focus for that moment. */
  hasKeys: boolean
  /** Ignores keys for the same time from now on. */
  onFocus: () => void
  /** Ignores keys until the card has the focus again. */
  onBlur: () => void
}

/** Creates a guard that restarts whenever `what` changes: a call and the preview shown of it. */
export function useGuard(what: string): DecisionGuard {
  const since = useRef({ what: '', shown: 0, focused: 0 })
  const [wakes, setWakes] = useState(0)
  const [rested, setRested] = useState<string>()
  const [focus, setFocus] = useState<'none' | 'new' | 'rested'>('none')
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
  useEffect(() => {
    if (focus !== 'new') return
    const timer = setTimeout(setFocus, GUARD_MS, 'rested')
    return () => clearTimeout(timer)
  }, [focus])
  const over = (time: number) => performance.now() - time >= GUARD_MS
  const acceptsClick = () => over(since.current.shown)
  return {
    isReady: rested === now,
    hasKeys: rested === now && focus === 'rested',
    acceptsClick,
    acceptsKey: () => acceptsClick() && over(since.current.focused),
    onFocus: () => {
      since.current.focused = performance.now()
      setFocus('new')
    },
    onBlur: () => setFocus('none')
  }
}
