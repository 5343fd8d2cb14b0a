// Existence checks in a workspace.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { resolveWorkspaceEntry, resolveWorkspacePath } from '../../files/paths.ts'
import type { Workspace } from '../../workspace.ts'

const MAX_JSON_BYTES = 64 * 1024 * 1024

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

/** Returns what a file contains; undefined if it is not JSON or too large. A link may lead anywhere, as with `existsInWorkspace`. */
export function readJsonInWorkspace({ root }: Workspace, path: string): unknown {
  try {
    const file = join(root, path)
    const stat = statSync(file)
    if (!stat.isFile() || stat.size > MAX_JSON_BYTES) return undefined
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
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
