// Resolves a `.git` file: submodules and linked worktrees have git's own folder elsewhere.

import path from 'node:path'
import { realpathSync } from '../../files/byte-path-fs.ts'
import { isWithin } from '../path-within.ts'
import { isGitDir, namesSubmodule, namesWorktree, resolveCommonDir, resolvePointer } from './git-dir.ts'

interface GitFolders {
  /** Folders in the workspace, relative to it: protected from changes too. */
  inside: string[]
  /** Folders outside, absolute: needed to read the history of a worktree or submodule. */
  outside: string[]
}

/** `gitFile` is relative to the root. */
export function resolveGitFolders(root: string, gitFile: string): GitFolders {
  const nothing: GitFolders = { inside: [], outside: [] }
  try {
    const file = path.join(root, gitFile)
    const named = resolvePointer(file, /^gitdir: (.+)$/m)
    if (named === undefined) return nothing
    const folder = realpathSync(named)
    if (isWithin(folder, root)) return folder === root ? nothing : { ...nothing, inside: [path.relative(root, folder)] }
    // A repository's files may name any folder. Only one that refers back to this working tree is accepted, and that reference is
    // outside, where the repository cannot write.
    const top = path.dirname(file)
    if (!namesWorktree(top, folder) && !namesSubmodule(top, folder)) return nothing
    const common = resolveCommonDir(folder)
    return isGitDir(common) && isWithin(folder, common) ? { ...nothing, outside: [common] } : nothing
  } catch {
    return nothing
  }
}
