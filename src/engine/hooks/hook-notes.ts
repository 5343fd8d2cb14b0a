// What hooks have done to a call, in words.
import type { HookRun } from '../call.ts'

/** What the approver must know of them. */
export const hookNotes = (runs: readonly HookRun[] = []): string[] =>
  runs.flatMap(({ name, outcome, context, reason }) => [
    ...(outcome === 'changed' ? [`The hook ${name} has changed the params.`] : []),
    ...(outcome === 'failed' ? [`The hook ${name} failed: ${reason}`] : []),
    ...(context === undefined ? [] : [`The hook ${name} says: ${context}`])
  ])
