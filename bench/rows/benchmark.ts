// A row, or a few that belong together: what is measured, on ground of its own.

import type { BenchEnvironment } from '../environment.ts'
import type { Measurement } from '../measurement.ts'

export interface Benchmark {
  /** For --only. */
  name: string
  measure(ground: BenchEnvironment): Promise<Measurement[]>
}
