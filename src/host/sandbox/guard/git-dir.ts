// Finds git's folder from the `.git` of a working tree, and the repository that a workspace is a part of.

import path from 'node:path'
import { lstatSync, statSync } from '../../files/byte-path-fs.ts'
import { readGitPointer } from '../../files/policy/git-pointer.ts'
import { realPathIfExists } from '../path-within.ts'

/** A working tree with git's folders; all paths are absolute, those of the folders real. */
export interface GitDirs {
  top: string
  git_dir: string
  /** Folder of branches and objects; differs only for linked worktrees. */
  common_dir: string
}

/** Returns the folders of the working tree at `top`, whose `.git` is a folder or leads to one; undefined if it does not. */
export function resolveGitDirs(top: string): GitDirs | undefined {
  const entry = path.join(top, '.git')
  const stat = statSync(entry, { throwIfNoEntry: false })
  const folder = stat?.isFile() ? resolvePointer(entry, /^gitdir: (.+)$/m) : entry
  const git_dir = folder === undefined ? undefined : realPathIfExists(folder)
  if (git_dir === undefined || !(isGitDir(git_dir) || isLinkedWorktree(git_dir))) return undefined
  return { top, git_dir, common_dir: resolveCommonDir(git_dir) }
}

/**
 * Returns the nearest repository above a folder, in the same file system. Another user may have created one there, as in a
 * world-writable folder: only one of the folder's owner, or of the server's user, counts.
 */
export function findRepositoryAbove(root: string): GitDirs | undefined {
  const own = statSync(root)
  for (let at = path.dirname(root); ; at = path.dirname(at)) {
    if (statSync(at).dev !== own.dev) return undefined
    const found = lstatIfReadable(path.join(at, '.git'))
    const isOurs = found !== undefined && [own.uid, process.getuid?.()].includes(found.uid)
    const dirs = isOurs ? resolveGitDirs(at) : undefined
    if (dirs) return dirs
    if (at === path.dirname(at)) return undefined
  }
}

/** Checks if git's folder of a linked worktree names that worktree. */
export const namesWorktree = (top: string, git_dir: string): boolean =>
  resolvePointer(path.join(git_dir, 'gitdir'), /^(.+)$/m) === path.join(top, '.git')

/** Checks if git's folder of a submodule names that working tree, by `core.worktree`. */
export function namesSubmodule(top: string, git_dir: string): boolean {
  const worktree = resolvePointer(path.join(git_dir, 'config'), /^[ \t]*worktree[ \t]*=[ \t]*(.+)$/m)
  return worktree !== undefined && realPathIfExists(worktree) === top
}

export function isGitDir(folder: string): boolean {
  const is = (name: string) => statSync(path.join(folder, name), { throwIfNoEntry: false })
  return (
    lstatIfReadable(path.join(folder, 'HEAD')) !== undefined &&
    !!is('objects')?.isDirectory() &&
    !!is('refs')?.isDirectory()
  )
}

const isLinkedWorktree = (folder: string) =>
  [folder, resolveCommonDir(folder)].every(at =>
    statSync(path.join(at, 'HEAD'), { throwIfNoEntry: false })?.isFile()
  ) && isGitDir(resolveCommonDir(folder))

export function resolveCommonDir(git_dir: string): string {
  const named = resolvePointer(path.join(git_dir, 'commondir'), /^(.+)$/m)
  return (named !== undefined && realPathIfExists(named)) || git_dir
}

/** Reads a path from a file, relative to the file's folder. */
export function resolvePointer(file: string, line: RegExp): string | undefined {
  const named = readGitPointer(file, line)
  return named === undefined ? undefined : path.resolve(path.dirname(file), named)
}

/** Inspects the entry without following a link; returns undefined if it is missing or inaccessible. */
export function lstatIfReadable(file: string) {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
