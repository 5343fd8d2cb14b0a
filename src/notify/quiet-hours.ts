// Quiet hours: the part of each day in which no notification is sent, by the clock of a time zone.
import type { QuietHours } from '../config/notifications.ts'

const MINUTE_MS = 60_000
/** The longest quiet hours of a day, with a clock that is set back within them. */
const MAX_MINUTES = 26 * 60

/** Returns the time at which the quiet hours end that a time is in; undefined if it is in none. */
export function findQuietEnd(time: number, quiet: QuietHours): number | undefined {
  const isQuiet = createQuietCheck(quiet)
  if (!isQuiet(time)) return undefined
  let end = Math.floor(time / MINUTE_MS) * MINUTE_MS
  // Minute by minute, since the clock of the time zone may be set in between.
  for (let minutes = 0; minutes < MAX_MINUTES && isQuiet(end); minutes += 1) end += MINUTE_MS
  return end
}

function createQuietCheck({ from, to, time_zone }: QuietHours): (time: number) => boolean {
  const format = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: time_zone
  })
  return time => {
    const clock = format.format(time)
    return from < to ? clock >= from && clock < to : clock >= from || clock < to
  }
}
