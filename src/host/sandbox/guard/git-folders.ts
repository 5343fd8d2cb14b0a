// Where a `.git` that is a file leads to: submodules and linked worktrees keep git's own folder elsewhere.
import { readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { isWithin } from '../path-within.ts'

const MAX_POINTER_LENGTH = 4_096

interface GitFolders {
  /** In the workspace, relative to it: not to be changed either. */
  inside: string[]
  /** Outside, absolute: needed to read the history of a worktree. */
  outside: string[]
}

/** `gitFile` is relative to the root. */
export function resolveGitFolders(root: string, gitFile: string): GitFolders {
  const nothing: GitFolders = { inside: [], outside: [] }
  try {
    const file = path.join(root, gitFile)
    const folder = realpathSync(path.resolve(path.dirname(file), readPointer(file, /^gitdir: (.+)$/m)))
    if (isWithin(folder, root)) return folder === root ? nothing : { ...nothing, inside: [path.relative(root, folder)] }
    // Whatever a repository brings may name any folder. Only one that knows of this worktree is taken at its word, and
    // that it does stands outside, where the repository has no say.
    if (path.resolve(folder, readPointer(path.join(folder, 'gitdir'), /^(.+)$/m)) !== file) return nothing
    const common = realpathSync(path.resolve(folder, readPointer(path.join(folder, 'commondir'), /^(.+)$/m)))
    const isGit = statSync(path.join(common, 'HEAD')).isFile() && statSync(path.join(common, 'objects')).isDirectory()
    return isGit && isWithin(folder, common) ? { ...nothing, outside: [common] } : nothing
  } catch {
    return nothing
  }
}

function readPointer(file: string, line: RegExp): string {
  const [, pointed] = line.exec(readFileSync(file, 'utf8').slice(0, MAX_POINTER_LENGTH)) ?? []
  if (pointed === undefined) throw new Error(`${file} leads nowhere`)
  return pointed.trim()
}
