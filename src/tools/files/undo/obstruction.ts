// Why a change can't be taken back.
import type { Conflict } from '../../../text/merge/merge.ts'
import { OBSTACLES, type Obstacle } from '../../../tool/undo.ts'

export class Obstruction extends Error {
  readonly path: string
  readonly reason: Obstacle
  /** With overlap: where. */
  readonly conflicts: readonly Conflict[]

  constructor(path: string, reason: Obstacle, conflicts: readonly Conflict[] = []) {
    super(OBSTACLES[reason])
    this.path = path
    this.reason = reason
    this.conflicts = conflicts
  }
}
