// Folders that git takes for repositories whatever they are called, by what they hold. In one, git runs the programs that
// its configuration names, so making one is running code.
import { foldPath } from './name-patterns.ts'

/** Without a file of this name git takes no folder for a repository. */
const HEAD = 'head'
/** What else git looks for beside it, or obeys there. */
const GIT_DIR_NAMES = new Set(['config', 'config.worktree', 'commondir', 'gitdir', 'hooks', 'info', 'objects', 'refs'])

/** Whether git would obey what is put at a canonical path. `isFile`: whether one is there; only asked where it matters. */
export function isGitRepositoryFile(path: string, isFolder: boolean, isFile: (path: string) => boolean): boolean {
  const names = path.split('/')
  if (!isFolder && foldPath(names.at(-1)!) === HEAD) return true
  return names.some((name, i) => GIT_DIR_NAMES.has(foldPath(name)) && isFile([...names.slice(0, i), 'HEAD'].join('/')))
}
