// Captured output of calls, as the engine reads it.
import type { OutputPage } from '../../protocol/output.ts'
import type { OutputPageQuery } from '../../tool/background-tasks.ts'

/** Captured output of calls, by id. */
export interface CapturedOutputs {
  read(tool_call_id: string, query: OutputPageQuery): Promise<OutputPage | undefined>
  /** Resolves when the capture of a call begins, or begins again, or the signal aborts. */
  opened(tool_call_id: string, signal: AbortSignal): Promise<void>
  /** Returns the bytes captured so far while more may come; 0 for any other call. */
  printed(tool_call_id: string): number
  /** Returns the captured bytes. */
  size(tool_call_id: string): Promise<number>
  /** Removes the output of a call that has ended. */
  remove(tool_call_id: string): Promise<void>
}
