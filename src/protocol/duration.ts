// Durations as people write them: a whole number and a unit.
import { Type } from 'typebox'

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Schema of a duration with its purpose. */
export const Duration = (description: string) =>
  Type.String({
    pattern: '^[1-9][0-9]{0,4}[smhd]$',
    description: `${description} A whole number with the unit s, m, h or d, such as 90m.`
  })

/** Returns the milliseconds of a valid duration. */
export const durationMs = (duration: string): number =>
  Number(duration.slice(0, -1)) * UNIT_MS[duration.at(-1) as keyof typeof UNIT_MS]
