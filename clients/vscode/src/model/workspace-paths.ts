// Files of the served folders, by their workspace and path.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { ServedWorkspace } from './session.ts'

export interface WorkspaceFile {
  readonly workspace: string
  /** Relative to the root, with slashes. */
  readonly path: string
}

/** Returns the workspace and the path of a file; undefined if no served folder contains it. */
export function toWorkspaceFile(file: string, workspaces: readonly ServedWorkspace[]): WorkspaceFile | undefined {
  const real = toRealPath(file)
  for (const { name, root } of workspaces) {
    const relative = path.relative(root, real)
    if (relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative))
      return { workspace: name, path: relative.split(path.sep).join('/') }
  }
  return undefined
}

/** Returns the absolute path of a file of a workspace. Throws if the workspace is not served. */
export function toAbsolutePath(
  { workspace, path: file }: WorkspaceFile,
  workspaces: readonly ServedWorkspace[]
): string {
  const found = workspaces.find(({ name }) => name === workspace)
  if (!found) throw new Error('The workspace is not open in this editor.')
  return path.join(found.root, file)
}

/** Resolves links. A new file is in a folder that exists. */
function toRealPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    const folder = path.dirname(file)
    return folder === file ? file : path.join(toRealPath(folder), path.basename(file))
  }
}
