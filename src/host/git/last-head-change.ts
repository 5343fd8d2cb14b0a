// Time of the last change of a repository's HEAD, read from its reflog without starting git.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Returns when HEAD of the repository at a folder last moved, as by a commit or checkout, in milliseconds since the Unix epoch;
 * undefined if the folder is no repository, or keeps no reflog.
 */
export function lastHeadChange(root: string): number | undefined {
  try {
    return statSync(path.join(gitFolder(root), 'logs', 'HEAD')).mtimeMs
  } catch {
    return undefined
  }
}

/** Follows the file that stands for the folder in worktrees and submodules. */
function gitFolder(root: string): string {
  const own = path.join(root, '.git')
  if (statSync(own).isDirectory()) return own
  const target = /^gitdir: (.+)$/m.exec(readFileSync(own, 'utf8'))?.[1] ?? ''
  return path.resolve(root, target)
}
