// Durations as people write them: a whole number and a unit.

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Source of a regular expression for a duration. */
export const DURATION = '[1-9][0-9]{0,4}[smhd]'
const WHOLE_DURATION = new RegExp(`^${DURATION}$`)

export const isDuration = (text: string): boolean => WHOLE_DURATION.test(text)

/** Returns the milliseconds of a valid duration. */
export const durationMs = (duration: string): number =>
  Number(duration.slice(0, -1)) * UNIT_MS[duration.at(-1) as keyof typeof UNIT_MS]
