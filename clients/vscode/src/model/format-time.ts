// Times for people.
const FAR_MS = 12 * 60 * 60 * 1_000

/** Formats the time until which a call waits: `until 14:05`, or `until Mon, 14:05`. Returns undefined if there is no limit. */
export function formatDeadline(expires_at: string | null, now: Date): string | undefined {
  if (expires_at === null) return undefined
  const time = new Date(expires_at)
  return `until ${time.getTime() - now.getTime() > FAR_MS ? `${formatDay(time)}, ` : ''}${formatClock(time)}`
}

export const formatClock = (time: Date): string =>
  time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })

const formatDay = (time: Date) => time.toLocaleDateString('en-GB', { weekday: 'short' })
