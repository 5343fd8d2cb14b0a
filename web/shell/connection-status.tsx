// The connection status in the bar.
import { useEffect, useState } from 'preact/hooks'
import { type ConnectionState, connection } from '../store/connection.ts'

export function ConnectionStatus() {
  const now = connection.value
  const [, tick] = useState(0)
  useEffect(() => {
    if (now.state !== 'lost') return
    const timer = setInterval(() => tick(n => n + 1), 1_000)
    return () => clearInterval(timer)
  }, [now.state])
  return <span class={`pill ${now.state}`}>{formatConnection(now)}</span>
}

function formatConnection(now: ConnectionState): string {
  if (now.state === 'lost') return `reconnecting ${Math.round((Date.now() - now.since) / 1_000)} s`
  return now.state === 'replaying' ? `replaying ${now.left}` : now.state
}
