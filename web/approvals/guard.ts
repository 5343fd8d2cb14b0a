// When a decision counts. Somebody who clicks or types just as a card comes up, changes, or as the window comes to the
// front meant something else; so for a moment nothing is taken for a decision.
import { useEffect, useRef, useState } from 'preact/hooks'

/** How long. */
export const REST_MS = 500

export interface Guard {
  /** Whether buttons act now. */
  clicks: boolean
  /** Whether keys do: they also rest after the card has got the focus. */
  keys: () => boolean
  /** The card has got the focus. */
  focused: () => void
}

/** A guard that begins anew with each other `what`: a call, and the preview that is shown of it. */
export function useGuard(what: string): Guard {
  const [rested, setRested] = useState<string>()
  const [wakes, setWakes] = useState(0)
  const focusedAt = useRef(0)
  useEffect(() => {
    const woken = () => setWakes(n => n + 1)
    addEventListener('focus', woken)
    return () => removeEventListener('focus', woken)
  }, [])
  const now = `${what} ${wakes}`
  useEffect(() => {
    const timer = setTimeout(setRested, REST_MS, now)
    return () => clearTimeout(timer)
  }, [now])
  const clicks = rested === now
  return {
    clicks,
    keys: () => clicks && performance.now() - focusedAt.current >= REST_MS,
    focused: () => {
      focusedAt.current = performance.now()
    }
  }
}
