// When a decision counts. Somebody who clicks or types just as a card comes up, changes, or as the window comes to the
// front meant something else; so for a moment nothing is taken for a decision.
import { useEffect, useRef, useState } from 'preact/hooks'

/** How long. */
export const REST_MS = 500

export interface Guard {
  /** Whether buttons look as if they act. */
  rested: boolean
  /** Whether a click is taken now. */
  clicks: () => boolean
  /** Whether a key is: keys also rest after the card has got the focus. */
  keys: () => boolean
  /** The card has got the focus. */
  focused: () => void
}

/** A guard that begins anew with each other `what`: a call, and the preview that is shown of it. */
export function useGuard(what: string): Guard {
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
    const timer = setTimeout(setRested, REST_MS, now)
    return () => clearTimeout(timer)
  }, [now])
  const over = (time: number) => performance.now() - time >= REST_MS
  const clicks = () => over(since.current.shown)
  return {
    rested: rested === now,
    clicks,
    keys: () => clicks() && over(since.current.focused),
    focused: () => {
      since.current.focused = performance.now()
    }
  }
}
