// Detects folders that git takes for repositories by their contents, regardless of name. In a repository, git runs the programs
// that its configuration names, so creating one is code execution.
import type { Workspace } from '../../workspace.ts'
import { resolveWorkspaceEntry } from '../paths.ts'
import { foldPath } from './name-patterns.ts'

/** Required by git in every repository. */
const HEAD = 'head'
/** Other names that git looks for beside it or interprets there. */
const GIT_DIR_NAMES = new Set(['config', 'config.worktree', 'commondir', 'gitdir', 'hooks', 'info', 'objects', 'refs'])

/** Checks if git would interpret a file put at a canonical path. */
export function isGitRepositoryFile(workspace: Workspace, path: string, isFolder: boolean): boolean {
  const names = path.split('/')
  if (!isFolder && foldPath(names.at(-1)!) === HEAD) return true
  return names.some(
    (name, i) => GIT_DIR_NAMES.has(foldPath(name)) && isFile(workspace, [...names.slice(0, i), 'HEAD'].join('/'))
  )
}

function isFile(workspace: Workspace, path: string): boolean {
  const { stat, close } = resolveWorkspaceEntry(workspace, path)
  close()
  return stat !== undefined && !stat.isDirectory()
}
