// Reasons why a change cannot be reverted.

import { UNDO_OBSTACLES, type UndoObstacle } from '../../../protocol/undo.ts'
import type { Conflict } from '../../../text/merge/merge.ts'

export class Obstruction extends Error {
  readonly path: string
  readonly reason: UndoObstacle
  /** Locations of the overlap. */
  readonly conflicts: readonly Conflict[]

  constructor(path: string, reason: UndoObstacle, conflicts: readonly Conflict[] = []) {
    super(UNDO_OBSTACLES[reason])
    this.path = path
    this.reason = reason
    this.conflicts = conflicts
  }
}
