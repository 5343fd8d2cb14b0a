// Figures made from the calls that this page holds: by the minute, and how long people were waited for.

export const MINUTES = 60
const MINUTE_MS = 60_000

/** What of a call is counted. */
export interface TimedCall {
  asked_at: string
  decided_at?: string
  ended_at?: string
  status: string
}

export interface Figures {
  /** By the minute, oldest first; the last one is not over. */
  calls: number[]
  errors: number[]
  /** Longest wait for a decision that was made in the minute; none where none was. */
  waits: (number | undefined)[]
  /** Of all decisions that are known here. */
  wait_p50: number | undefined
  wait_p95: number | undefined
}

export function figuresOf(lines: Iterable<TimedCall>, now: number): Figures {
  const figures: Figures = {
    calls: Array(MINUTES).fill(0),
    errors: Array(MINUTES).fill(0),
    waits: Array(MINUTES).fill(undefined),
    wait_p50: undefined,
    wait_p95: undefined
  }
  const minuteOf = (time: string) => MINUTES - 1 - Math.floor((now - Date.parse(time)) / MINUTE_MS)
  const waits: number[] = []
  for (const { asked_at, decided_at, ended_at, status } of lines) {
    count(figures.calls, minuteOf(asked_at))
    if (ended_at !== undefined && status === 'error') count(figures.errors, minuteOf(ended_at))
    if (decided_at === undefined) continue
    const wait = Date.parse(decided_at) - Date.parse(asked_at)
    waits.push(wait)
    const minute = minuteOf(decided_at)
    if (minute in figures.waits) figures.waits[minute] = Math.max(wait, figures.waits[minute] ?? 0)
  }
  waits.sort((a, b) => a - b)
  return { ...figures, wait_p50: percentile(waits, 50), wait_p95: percentile(waits, 95) }
}

function count(minutes: number[], minute: number) {
  if (minute in minutes) minutes[minute]! += 1
}

/** The smallest of the sorted values that so many percent do not go beyond. */
export const percentile = (sorted: readonly number[], percent: number): number | undefined =>
  sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)]

/** The gauges of the server, out of the text for Prometheus: those without labels. */
export function gaugesOf(text: string): ReadonlyMap<string, number> {
  const gauges = new Map<string, number>()
  for (const [, name, value] of text.matchAll(/^(\w+) (\S+)$/gm)) gauges.set(name!, Number(value))
  return gauges
}

/** The line of a sparkline in a box of 100 by 30: one piece for each stretch of values that are there. */
export function lineOf(values: readonly (number | undefined)[], most: number): string {
  const step = 100 / Math.max(1, values.length - 1)
  let before = false
  return values
    .map((value, n) => {
      if (value === undefined) {
        before = false
        return ''
      }
      const point = `${(n * step).toFixed(1)} ${(29 - (28 * value) / Math.max(1, most)).toFixed(1)}`
      const alone = !before && values[n + 1] === undefined
      const piece = `${before ? 'L' : 'M'}${point}${alone ? 'h0.1' : ''}`
      before = true
      return piece
    })
    .join('')
}
