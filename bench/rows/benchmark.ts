// A row, or a few that belong together: what is measured, on ground of its own.

import type { Ground } from '../environment.ts'
import type { Finding } from '../measurement.ts'

export interface Row {
  /** For --only. */
  name: string
  measure(ground: Ground): Promise<Finding[]>
}
