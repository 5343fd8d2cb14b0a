// Detects paths that an in-flight call may be changing; that call reports these changes itself.

import { isSettled } from '../protocol/calls.ts'
import type { Engine } from './engine.ts'

/**
 * Returns true if a running call may be changing the path, or creating it as an ancestor of its target. A call of another
 * workspace counts too: one workspace may lie within another.
 */
export function isInFlight(
  { activeCalls, workspaces }: Pick<Engine, 'activeCalls' | 'workspaces'>,
  workspace: string,
  path: string
): boolean {
  const absolutePath = (name: string, relative: string) => {
    const root = workspaces.get(name)?.root ?? ''
    return relative === '.' ? root : `${root}/${relative}`
  }
  const changed = absolutePath(workspace, path)
  for (const { call, evaluation, hasSideEffects } of activeCalls.values()) {
    if (!hasSideEffects || isSettled(call)) continue
    for (const { path: target, access, tree } of evaluation?.paths ?? []) {
      const written = absolutePath(call.workspace, target)
      if (access !== 'write') continue
      if (written === changed || written.startsWith(`${changed}/`) || (tree && changed.startsWith(`${written}/`)))
        return true
    }
  }
  return false
}
