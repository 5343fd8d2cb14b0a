// Detects paths that an in-flight call may be changing; that call reports these changes itself.

import type { ActiveCall, CallEvaluation } from './active-call.ts'
import { isSettled } from './call.ts'
import type { Engine } from './engine.ts'

/** Returns true if a running call may be changing the path, or creating it as an ancestor of its target. */
export function isInFlight({ activeCalls }: Pick<Engine, 'activeCalls'>, workspace: string, path: string): boolean {
  for (const each of activeCalls.values())
    if (isActing(each, workspace) && writesPath(each.evaluation, path)) return true
  return false
}

const isActing = ({ hasSideEffects, call }: ActiveCall, workspace: string) =>
  hasSideEffects && call.workspace === workspace && !isSettled(call)

const writesPath = (evaluation: CallEvaluation | undefined, path: string) =>
  evaluation?.paths.some(
    use =>
      use.access === 'write' &&
      (use.path === path || use.path.startsWith(`${path}/`) || (use.tree && path.startsWith(`${use.path}/`)))
  ) ?? false
