// Shows how long a call has waited, and when it expires.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatDuration, formatTime } from '../text/format-time.ts'

const now = signal(Date.now())
let watchers = 0
let timer: ReturnType<typeof setInterval>

/** One clock shared by all components. */
function useNow() {
  useEffect(() => {
    if (watchers++ === 0) timer = setInterval(() => (now.value = Date.now()), 5_000)
    return () => {
      if (--watchers === 0) clearInterval(timer)
    }
  }, [])
  return Math.max(now.value, Date.now())
}

export function Age({ of }: { of: string }) {
  const ms = useNow() - Date.parse(of)
  return (
    <time class="muted small" dateTime={of} title={formatTime(of)}>
      {ms < 5_000 ? 'now' : formatDuration(ms)}
    </time>
  )
}

/** A ring that empties, and the remaining time as text. */
export function Expiry({ from, at }: { from: string; at: string | null }) {
  const here = useNow()
  if (at === null) return <span>never</span>
  const left = Math.max(0, Date.parse(at) - here)
  const share = left / Math.max(1, Date.parse(at) - Date.parse(from))
  return (
    <span class="expiry" title={formatTime(at)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <circle cx="8" cy="8" r="6" class="expiry-ground" />
        <circle cx="8" cy="8" r="6" class="expiry-left" pathLength="100" stroke-dasharray={`${share * 100} 100`} />
      </svg>
      in {formatDuration(left)}
    </span>
  )
}
