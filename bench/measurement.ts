// What a row has to say: a figure of ours beside its floor, and how far apart they may be.
import { medianOverRounds, type Rounds } from './measure.ts'

export type Unit = '%' | 'ms' | 'µs' | '/s' | 'MiB' | '×'

/** How good ours must be: at most, or at least, so many times the floor plus a constant. */
export interface Target {
  bound: 'at most' | 'at least'
  times?: number
  plus?: number
}

export interface Measurement {
  work: string
  unit: Unit
  ours?: number
  /** What the same work costs without the server's own part, measured in the same rounds. */
  floor?: number
  target?: Target
  /** What else a reader should know of this figure. */
  note?: string
}

/** A finding with what follows from it. */
export interface JudgedMeasurement extends Measurement {
  /** Ours over floor. */
  ratio?: number
  limit?: number
  met?: boolean
}

export function judgeMeasurement(finding: Measurement): JudgedMeasurement {
  const { ours, floor, target } = finding
  const ratio = ours !== undefined && floor !== undefined ? { ratio: ours / floor } : {}
  if (ours === undefined || !target) return { ...finding, ...ratio }
  const limit = (target.times ?? 0) * (floor ?? 0) + (target.plus ?? 0)
  return { ...finding, ...ratio, limit, met: target.bound === 'at most' ? ours <= limit : ours >= limit }
}

/** What was measured on both sides, in the same rounds. */
export interface PairedRounds {
  ours: Rounds
  floor: Rounds
}

/** Milliseconds of single pieces of work: their median and their 99th percentile. */
export function latencyMeasurements(
  work: string,
  measured: PairedRounds,
  { p50, p99 }: { p50?: Target; p99?: Target } = {}
): Measurement[] {
  return [
    { work: `${work}, p50`, unit: 'ms', ...percentileOf(measured, 0.5), ...(p50 && { target: p50 }) },
    { work: `${work}, p99`, unit: 'ms', ...percentileOf(measured, 0.99), ...(p99 && { target: p99 }) }
  ]
}

/** How much is done in a second. */
export const rateMeasurement = (work: string, measured: PairedRounds, target?: Target): Measurement => ({
  work,
  unit: '/s',
  ...percentileOf(measured, 0.5),
  ...(target && { target })
})

const percentileOf = ({ ours, floor }: PairedRounds, part: number) => ({
  ours: medianOverRounds(ours, part),
  floor: medianOverRounds(floor, part)
})
