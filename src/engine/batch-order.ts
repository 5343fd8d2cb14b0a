// Order of the calls of a batch: those on the same path run one after the other, as listed; the others run in parallel.

import { resolve } from 'node:path/posix'
import type { Workspace } from '../host/workspace.ts'
import { relativeToRoot } from '../text/root-path.ts'
import type { Caller } from './active-call.ts'
import { createLookupContext } from './call-contexts.ts'
import type { Engine } from './engine.ts'
import { locksConflict, type PathLock } from './scheduler.ts'
import { createActiveCall, resolveWorkspace, type SubmitRequest } from './submit.ts'

/**
 * Runs as many calls as there are lists of locks, each after the earlier ones whose locks conflict with its own, and with their outcomes.
 */
export function runInPathOrder<T>(
  locks: readonly PathLock[][],
  run: (index: number, earlier: T[]) => Promise<T>
): Promise<T[]> {
  const outcomes: Promise<T>[] = []
  for (const [index, holds] of locks.entries()) {
    const earlier = outcomes.filter((_, other) =>
      locks[other]!.some(theirs => holds.some(ours => locksConflict(ours, theirs)))
    )
    outcomes.push(Promise.all(earlier).then(ended => run(index, ended)))
  }
  return Promise.all(outcomes)
}

/** Returns locks for the paths that a request names, as far as they can be determined before submission, where errors are reported. */
export async function findRequestLocks(engine: Engine, request: SubmitRequest, caller: Caller): Promise<PathLock[]> {
  try {
    const workspace = resolveWorkspace(engine, request.workspace)
    const live = createActiveCall(engine, request, caller, {})
    const { paths = [] } = await live.tool.request(live.call.params, createLookupContext(engine, live))
    return paths.flatMap(({ path, access, tree }) =>
      access === 'list' ? [] : [{ path: toAbsolutePath(workspace, path), access, tree: tree ?? false }]
    )
  } catch {
    return []
  }
}

/** Resolves a path in any notation to an absolute one, without following links. */
function toAbsolutePath(workspace: Workspace, path: string) {
  const absolute = resolve(workspace.root, path)
  const inside = relativeToRoot(workspace, absolute)
  return inside === undefined ? absolute : resolve(workspace.root, inside)
}
