// Existence checks in a workspace.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { resolveWorkspaceEntry, resolveWorkspacePath } from '../../files/paths.ts'
import type { Workspace } from '../../workspace.ts'

/**
 * Checks if an entry exists. The target of a link may be anywhere, as for the interpreter of a Python environment, but must
 * exist.
 */
export function existsInWorkspace(workspace: Workspace, path: string): boolean {
  try {
    const { stat, close } = resolveWorkspaceEntry(workspace, path)
    close()
    return stat?.isSymbolicLink() ? existsSync(join(workspace.root, path)) : stat !== undefined
  } catch {
    return false
  }
}

export const isDirectoryInWorkspace = (workspace: Workspace, path: string): boolean =>
  statInWorkspace(workspace, path)?.isDirectory() ?? false

function statInWorkspace(workspace: Workspace, path: string) {
  try {
    const place = resolveWorkspacePath(workspace, path)
    place.close()
    return place.stat
  } catch {
    return undefined
  }
}
