import type { TransactionStep } from '../../../host/files/files.ts'
import type { PastCall } from '../../../tool/tool.ts'
import type { UndoFile } from '../../../tool/undo.ts'

/** What an undo would do: told by file, done by step. */
export interface UndoPlan {
  /** Newest first. */
  calls: PastCall[]
  files: UndoFile[]
  steps: TransactionStep[]
}
