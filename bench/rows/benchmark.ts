// A benchmark: one row or a few related ones, in its own environment.

import type { BenchEnvironment } from '../environment.ts'
import type { Measurement } from '../measurement.ts'

export interface Benchmark {
  /** For --only. */
  name: string
  measure(ground: BenchEnvironment): Promise<Measurement[]>
}
