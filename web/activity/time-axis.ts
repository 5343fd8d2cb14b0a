// The axis of a timeline: ticks at round times.

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map(n => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map(n => n * MINUTE),
  ...[1, 2, 3, 6, 12].map(n => n * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map(n => n * DAY)
]

interface Tick {
  at: number
  /** The time of day, with a date or milliseconds where ticks need them. */
  label: string
}

/**
 * Returns at most `max` ticks between two times, in milliseconds since 1970. `offset` is the difference of local time to UTC, so
 * that days begin at midnight.
 */
export function toTicks(from: number, to: number, max: number, offset: number): Tick[] {
  const step = STEPS.find(step => (to - from) / step <= max - 1) ?? Math.ceil((to - from) / (max - 1) / DAY) * DAY
  const ticks: Tick[] = []
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to; at += step)
    ticks.push({ at, label: formatTick(at + offset, step, ticks.length === 0) })
  return ticks
}

/** `local` is a local time as if it were UTC. Only the first tick of a day, or of the axis, names the date. */
function formatTick(local: number, step: number, isFirst: boolean): string {
  const text = new Date(local).toISOString()
  const [date, time] = [text.slice(0, 10), text.slice(11)] as [string, string]
  if (step >= DAY) return date
  const clock = time.slice(0, step < SECOND ? 12 : step < MINUTE ? 8 : 5)
  return isFirst || local % DAY < step ? `${date} ${clock}` : clock
}
