// Formats times and durations.

/** Returns `14:03:22`, with the date before it if that is not today. */
export function formatTime(at: string): string {
  const date = new Date(at)
  const time = date.toLocaleTimeString('sv')
  return date.toDateString() === new Date().toDateString() ? time : `${date.toLocaleDateString('sv')} ${time}`
}

/** Formats a duration in its largest unit that is not 0 and the next one: `3 m 20 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  const s = Math.round(ms / 1_000)
  if (s < 60) return `${s} s`
  if (s < 3_600) return `${Math.floor(s / 60)} m ${s % 60} s`
  const h = Math.floor(s / 3_600)
  return h < 48 ? `${h} h ${Math.floor((s % 3_600) / 60)} m` : `${Math.floor(h / 24)} d ${h % 24} h`
}
