// What of the machine decides which server is started for a file.
import { realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import type { Workspace } from '../../host.ts'
import { isExecutable } from '../../processes/find-program.ts'
import { isBeneath } from '../../sandbox/path-within.ts'
import type { Ground } from './launch-config.ts'
import { isInWorkspace } from './workspace-fs.ts'

/** `searchPath`: without folders of workspaces. */
export function groundOf(workspace: Workspace, searchPath: string, kept: boolean): Ground {
  const folders = searchPath.split(delimiter).filter(Boolean)
  // For each of many files the same names are looked for.
  const looked = new Map<string, boolean>()
  return {
    root: workspace.root,
    kept,
    exists(path) {
      const known = looked.get(path) ?? isInWorkspace(workspace, path)
      looked.set(path, known)
      return known
    },
    program: name =>
      (isAbsolute(name) ? [name] : folders.map(folder => join(folder, name))).find(
        file => isExecutable(file) && !isBeneath(realpathSync(file), workspace.root)
      ),
    standsBy: (program, path) => {
      const file = join(dirname(realpathSync(program)), path)
      return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
    }
  }
}
