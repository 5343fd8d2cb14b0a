// Detects folders that git takes for repositories by their contents, regardless of name. In a repository, git runs the programs
// that its configuration names, so creating one is code execution.
import { foldPath } from './name-patterns.ts'

/** Required by git in every repository. */
const HEAD = 'head'
/** Other names that git looks for beside it or interprets there. */
const GIT_DIR_NAMES = new Set(['config', 'config.worktree', 'commondir', 'gitdir', 'hooks', 'info', 'objects', 'refs'])

/** Checks if git would interpret a file put at a canonical path. `isFile` checks for a file; only called if it matters. */
export function isGitRepositoryFile(path: string, isFolder: boolean, isFile: (path: string) => boolean): boolean {
  const names = path.split('/')
  if (!isFolder && foldPath(names.at(-1)!) === HEAD) return true
  return names.some((name, i) => GIT_DIR_NAMES.has(foldPath(name)) && isFile([...names.slice(0, i), 'HEAD'].join('/')))
}
