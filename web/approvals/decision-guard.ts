// When a decision counts. Somebody who clicks or types just as a card comes up, changes, or as the window comes to the
// front meant something else; so for a moment nothing is taken for a decision.
import { useEffect, useRef, useState } from 'preact/hooks'

/** How long. */
export const GUARD_MS = 500

export interface DecisionGuard {
  /** Whether buttons look as if they act. */
  isReady: boolean
  /** Whether a click is taken now. */
  acceptsClick: () => boolean
  /** Whether a key is: keys also rest after the card has got the focus. */
  acceptsKey: () => boolean
  /** The card has got the focus. */
  onFocus: () => void
}

/** A guard that begins anew with each other `what`: a call, and the preview that is shown of it. */
export function useGuard(what: string): DecisionGuard {
  const since = useRef({ what: '', shown: 0, focused: 0 })
  const [wakes, setWakes] = useState(0)
  const [rested, setRested] = useState<string>()
  if (since.current.what !== what) Object.assign(since.current, { what, shown: performance.now() })
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
    onFocus: () => {
      since.current.focused = performance.now()
    }
  }
}
