// Formats times for people: in local time, and relative to now.

/** Formats an approximate age. */
export function formatAge(time: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1_000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`
}

/** Formats a future time: the time of day, with the date unless it is today, and the remaining time. */
export function formatDue(time: string, now = Date.now()): string {
  const left = Date.parse(time) - now
  return `${formatClock(time, now)} (${left <= 0 ? 'over' : `in ${formatSpan(left)}`})`
}

/** Formats the local time of day, with the date unless it is today. */
export function formatClock(time: string, now = Date.now()): string {
  const [at, today] = [new Date(time), new Date(now)]
  const minute = `${padTwo(at.getHours())}:${padTwo(at.getMinutes())}`
  return at.toDateString() === today.toDateString() ? minute : `${formatDate(at)} ${minute}`
}

/** Formats the local time with seconds and milliseconds. */
export function formatTimestamp(time: string, now = Date.now()): string {
  const at = new Date(time)
  return `${formatClock(time, now)}:${padTwo(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

const formatDate = (at: Date) => `${at.getFullYear()}-${padTwo(at.getMonth() + 1)}-${padTwo(at.getDate())}`
const padTwo = (number: number) => String(number).padStart(2, '0')

/** Formats in the largest suitable unit; hours with minutes. */
function formatSpan(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return `${Math.ceil(ms / 1_000)} s`
  if (minutes < 60) return `${minutes} min`
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  if (hours >= 48) return `${Math.floor(hours / 24)} days`
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
}
