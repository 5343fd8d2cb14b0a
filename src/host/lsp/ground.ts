// What of the machine decides which server is started for a file.
import { realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Workspace } from '../host.ts'
import { walk } from '../paths.ts'
import { isExecutable } from '../processes/shell.ts'
import { isBeneath } from '../sandbox/beneath.ts'
import type { Ground } from './launch.ts'

/** `searchPath`: without folders of workspaces. */
export function groundOf(workspace: Workspace, searchPath: string, kept: boolean): Ground {
  const folders = searchPath.split(delimiter).filter(Boolean)
  return {
    root: workspace.root,
    kept,
    exists: path => isInWorkspace(workspace, path),
    program: name =>
      folders
        .map(folder => join(folder, name))
        .find(file => isExecutable(file) && !isBeneath(realpathSync(file), workspace.root)),
    standsBy: (program, path) => {
      const file = join(dirname(realpathSync(program)), path)
      return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
    }
  }
}

/** Links that lead out of it lead to nothing. */
function isInWorkspace(workspace: Workspace, path: string): boolean {
  try {
    const place = walk(workspace, path)
    place.close()
    return place.stat !== undefined
  } catch {
    return false
  }
}
