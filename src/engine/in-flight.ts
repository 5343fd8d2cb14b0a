// Whether a path may be changing by a call's hand right now, which will tell of it itself.

import type { Assessment, Live } from './active-call.ts'
import { isSettled } from './call.ts'
import type { Engine } from './engine.ts'

/** Whether a running call may be changing the path, or making it on the way to what it changes. */
export function isUnderWay({ live }: Pick<Engine, 'live'>, workspace: string, path: string): boolean {
  for (const each of live.values()) if (isActing(each, workspace) && writes(each.assessment, path)) return true
  return false
}

const isActing = ({ acted, call }: Live, workspace: string) => acted && call.workspace === workspace && !isSettled(call)

const writes = (assessment: Assessment | undefined, path: string) =>
  assessment?.paths.some(
    use =>
      use.access === 'write' &&
      (use.path === path || use.path.startsWith(`${path}/`) || (use.tree && path.startsWith(`${use.path}/`)))
  ) ?? false
