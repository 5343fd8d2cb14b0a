// Whether something is in a workspace. Links that lead out of it lead to nothing.
import type { Workspace } from '../host.ts'
import { walk } from '../paths.ts'

export const isInWorkspace = (workspace: Workspace, path: string): boolean => statAt(workspace, path) !== undefined

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
