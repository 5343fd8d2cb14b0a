// A row, or a few that belong together: what is measured, on ground of its own.
import type { Finding } from '../finding.ts'
import type { Ground } from '../ground.ts'

export interface Row {
  /** For --only. */
  name: string
  measure(ground: Ground): Promise<Finding[]>
}
