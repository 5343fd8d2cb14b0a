// Times and sizes in few characters.

/** The time of day; of another day, the day too. */
export function clockOf(time: string, now = new Date()): string {
  const at = new Date(time)
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
  return at.toDateString() === now.toDateString() ? clock : `${dayOf(at)} ${clock.slice(0, 5)}`
}

/** Day and time of day, whole. */
export const whenOf = (time: string): string => {
  const at = new Date(time)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clockOf(time, at)}`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const dayOf = (at: Date) => `${at.getDate()} ${MONTHS[at.getMonth()]}`
const two = (n: number) => String(n).padStart(2, '0')

/** A length of time in the two units that matter most. */
export function millisOf(ms: number): string {
  if (ms < 1) return '<1 ms'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  const s = Math.round(ms / 1_000)
  if (s < 60) return `${s} s`
  if (s < 3_600) return `${Math.floor(s / 60)} min ${s % 60} s`
  const min = Math.round(s / 60)
  if (min < 24 * 60) return `${Math.floor(min / 60)} h ${min % 60} min`
  const h = Math.round(min / 60)
  return `${Math.floor(h / 24)} d ${h % 24} h`
}

export function bytesOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  for (const [unit, size] of [
    ['KiB', 1_024],
    ['MiB', 1_024 ** 2]
  ] as const) {
    const n = bytes / size
    if (n < 1_000) return `${n < 10 ? n.toFixed(1) : Math.round(n)} ${unit}`
  }
  return `${(bytes / 1_024 ** 3).toFixed(1)} GiB`
}
