// The machine's state that determines which server is started for a file.
import { realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { isExecutable } from '../../processes/find-program.ts'
import { isWithin } from '../../sandbox/path-within.ts'
import type { Workspace } from '../../workspace.ts'
import type { LaunchEnvironment } from './launch-config.ts'
import { existsInWorkspace, readJsonInWorkspace } from './workspace-fs.ts'

/** `searchPath`: without folders of workspaces. */
export function createLaunchEnvironment(
  workspace: Workspace,
  searchPath: string,
  isSandboxed: boolean
): LaunchEnvironment {
  const folders = searchPath.split(delimiter).filter(Boolean)
  // Caches lookups: the same names are checked for many files.
  const looked = new Map<string, boolean>()
  return {
    root: workspace.root,
    isSandboxed,
    exists(path) {
      const known = looked.get(path) ?? existsInWorkspace(workspace, path)
      looked.set(path, known)
      return known
    },
    readJson: path => readJsonInWorkspace(workspace, path),
    findExecutable: name =>
      (isAbsolute(name) ? [name] : folders.map(folder => join(folder, name))).find(
        file => isExecutable(file) && !isWithin(realpathSync(file), workspace.root)
      ),
    hasSibling: (program, path) => {
      const file = join(dirname(realpathSync(program)), path)
      return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
    }
  }
}
