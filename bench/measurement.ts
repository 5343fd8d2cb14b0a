// A measurement: a figure of the server beside its floor, and the allowed distance.
import { medianOverRounds, type Rounds } from './measure.ts'

export type Unit = '' | '%' | 'ms' | 'µs' | '/s' | 'kB' | 'MiB' | '×'

/** The target: at most, or at least, so many times the floor plus a constant. */
export interface Target {
  bound: 'at most' | 'at least'
  times?: number
  plus?: number
}

export interface Measurement {
  work: string
  unit: Unit
  ours?: number
  /** The cost of the same work without the server's part, measured in the same rounds. */
  floor?: number
  target?: Target
  /** Lines that are printed below the table. */
  details?: readonly string[]
}

/** A measurement with its verdict. */
export interface JudgedMeasurement extends Measurement {
  /** Figure divided by floor. */
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

/** Samples of both sides, from the same rounds. */
export interface PairedRounds {
  ours: Rounds
  floor: Rounds
}

/** Returns the median and the 99th percentile of latencies in milliseconds. */
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

/** Returns a throughput per second. */
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
