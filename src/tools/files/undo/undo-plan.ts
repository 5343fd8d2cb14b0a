// The plan of an undo: outcomes by file, and the steps of the transaction.
import type { TransactionStep } from '../../../host/files/transaction/transaction-step.ts'
import type { UndoFile } from '../../../protocol/undo.ts'
import type { PastCall } from '../../../tool/contexts.ts'

/** Planned effect of an undo: outcomes by file, and steps. */
export interface UndoPlan {
  /** Newest first. */
  calls: PastCall[]
  files: UndoFile[]
  steps: TransactionStep[]
}
