import type { Change } from './change.ts'
import type { EditorBridge } from './editors/editor-bridge.ts'

/** What a call gives the host, so that no effect comes before its intent and no change goes untold. */
export interface Effects {
  signal: AbortSignal
  /** Resolves once the call's intent is durable in the journal. Awaited right before the first visible change. */
  commitIntent(): Promise<void>
  recordChange(change: Change): void
  /** Editors that hold files of the workspace unsaved. */
  editors?: EditorBridge
}
