// Resolves a `.git` file: submodules and linked worktrees have git's own folder elsewhere.
import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { readGitPointer } from '../../files/policy/git-pointer.ts'
import { isWithin } from '../path-within.ts'

interface GitFolders {
  /** Folders in the workspace, relative to it: protected from changes too. */
  inside: string[]
  /** Folders outside, absolute: needed to read the history of a worktree. */
  outside: string[]
}

/** `gitFile` is relative to the root. */
export function resolveGitFolders(root: string, gitFile: string): GitFolders {
  const nothing: GitFolders = { inside: [], outside: [] }
  try {
    const file = path.join(root, gitFile)
    const folder = realpathSync(path.resolve(path.dirname(file), readPointer(file, /^gitdir: (.+)$/m)))
    if (isWithin(folder, root)) return folder === root ? nothing : { ...nothing, inside: [path.relative(root, folder)] }
    // A repository's files may name any folder. Only one that refers back to this worktree is accepted, and that reference is
    // outside, where the repository cannot write.
    if (path.resolve(folder, readPointer(path.join(folder, 'gitdir'), /^(.+)$/m)) !== file) return nothing
    const common = realpathSync(path.resolve(folder, readPointer(path.join(folder, 'commondir'), /^(.+)$/m)))
    const isGit = statSync(path.join(common, 'HEAD')).isFile() && statSync(path.join(common, 'objects')).isDirectory()
    return isGit && isWithin(folder, common) ? { ...nothing, outside: [common] } : nothing
  } catch {
    return nothing
  }
}

function readPointer(file: string, line: RegExp): string {
  const pointed = readGitPointer(file, line)
  if (pointed === undefined) throw new Error(`${file} leads nowhere`)
  return pointed
}
