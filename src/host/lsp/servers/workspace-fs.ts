// Whether something is in a workspace.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { walk, walkToEntry } from '../../files/paths.ts'
import type { Workspace } from '../../host.ts'

/** A link may lead anywhere, as the interpreter of a Python environment does, if something is there. */
export function isInWorkspace(workspace: Workspace, path: string): boolean {
  try {
    const { stat, close } = walkToEntry(workspace, path)
    close()
    return stat?.isSymbolicLink() ? existsSync(join(workspace.root, path)) : stat !== undefined
  } catch {
    return false
  }
}

export const isFolder = (workspace: Workspace, path: string): boolean => statAt(workspace, path)?.isDirectory() ?? false

function statAt(workspace: Workspace, path: string) {
  try {
    const place = walk(workspace, path)
    place.close()
    return place.stat
  } catch {
    return undefined
  }
}
