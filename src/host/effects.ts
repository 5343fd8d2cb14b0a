// The effects of a call on the host: its durable intent and the changes that it records.
import type { Change } from './change.ts'
import type { EditorBridge } from './editors/editor-bridge.ts'

/** Callbacks from a call to the host, so that no effect precedes its intent and every change is reported. */
export interface Effects {
  signal: AbortSignal
  /** Resolves once the call's intent is durable in the journal. Awaited right before the first visible change. */
  commitIntent(): Promise<void>
  recordChange(change: Change): void
  /** Called before content of that size is written to a file; it throws if the call may not write so much. */
  claimBytes?(bytes: number): void
  /**
   * Called before the call changes one of these paths itself, with canonical paths relative to the root; the result is called once
   * the changes are recorded, or were not made.
   */
  beginChange?(paths: readonly string[]): () => void
  /**
   * Returns the check, right before a program starts, that what it executes is still what was decided on; it throws STALE_FILE if
   * not. Undefined for a call whose programs execute no file of the workspace.
   */
  startCheck?(): (() => Promise<void>) | undefined
  /** Called once the started program has had the time to open what it executes. */
  onStarted?(): void
  /** Called once a program has ended that passed the check, or could not be started after it. */
  onEnded?(): void
  /** Editors with unsaved files of the workspace. */
  editors?: EditorBridge
}
