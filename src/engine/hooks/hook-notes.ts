// Notes on the effects of hooks on a call.
import type { HookRun } from '../../protocol/hook-run.ts'

/** Builds the approver's notes. */
export const hookNotes = (runs: readonly HookRun[] = []): string[] =>
  runs.flatMap(({ name, outcome, context, reason }) => [
    ...(outcome === 'changed' ? [`The hook ${name} modified the params.`] : []),
    ...(outcome === 'failed' ? [`The hook ${name} failed: ${reason}`] : []),
    ...(context === undefined ? [] : [`The hook ${name} says: ${context}`])
  ])
