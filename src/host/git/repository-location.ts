// Locates the repository of a path: the nearest at or above it, also above the workspace. The result is passed to git explicitly,
// so that it does not search itself and no repository setting redirects it.
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import {
  findRepositoryAbove,
  type GitDirs,
  isGitDir,
  lstatIfReadable,
  namesWorktree,
  resolveCommonDir,
  resolveGitDirs
} from '../sandbox/guard/git-dir.ts'
import { isWithin, realPathIfExists } from '../sandbox/path-within.ts'
import { findExternalPath } from './external-paths.ts'

/** Location of a repository; all paths are real. `top` is git's own folder for a bare repository. */
export interface RepositoryLocation extends GitDirs {
  bare: boolean
  /** It is outside the workspace and must name this working tree itself (`core.worktree`). */
  mustNameWorktree: boolean
}

/** The workspace, and the folders outside of it from which a repository may borrow objects. */
export interface RepositoryBounds {
  root: string
  readable: readonly string[]
}

/** Finds the repository of a folder. `folder` is canonical: relative to the root, without links. */
export function findRepository(bounds: RepositoryBounds, folder: string): RepositoryLocation {
  const { root } = bounds
  for (let at = path.join(root, folder); ; at = path.dirname(at)) {
    const found = repositoryAt(at, bounds)
    if (found) return found
    if (at === root) break
  }
  const above = findRepositoryAbove(root)
  return above ? withWorktree(above, bounds) : throwNoRepository(folder)
}

/** Checks if the nearest repository of a folder begins above the workspace: its history is of more than that. */
export function isAboveWorkspace(bounds: RepositoryBounds, folder: string): boolean {
  try {
    return !isWithin(findRepository(bounds, folder).top, bounds.root)
  } catch (error) {
    if (error instanceof ToolError) return false
    throw error
  }
}

function throwNoRepository(folder: string): never {
  throw new ToolError(
    'FILE_NOT_FOUND',
    `There is no Git repository at ${folder === '.' ? 'the workspace root' : folder} or above it. Use a path inside a ` +
      `repository, or create one with \`git init\`.`,
    { path: folder, missing: 'repository' }
  )
}

function repositoryAt(at: string, bounds: RepositoryBounds): RepositoryLocation | undefined {
  if (lstatIfReadable(path.join(at, '.git'))) {
    const dirs = resolveGitDirs(at)
    return dirs && withWorktree(dirs, bounds)
  }
  if (path.basename(at) === '.git' || !isGitDir(at)) return undefined
  assertNoExternalPaths(at, bounds)
  if (resolveCommonDir(at) !== at) throw externalRepositoryError(at)
  return { top: at, git_dir: at, common_dir: at, bare: true, mustNameWorktree: false }
}

function withWorktree({ top, git_dir, common_dir }: GitDirs, bounds: RepositoryBounds): RepositoryLocation {
  const { root } = bounds
  const place = { top, git_dir, common_dir, bare: false, mustNameWorktree: false }
  // Not placed there by the workspace's content.
  if (!isWithin(top, root)) return place
  if (isWithin(git_dir, root)) {
    assertNoExternalPaths(git_dir, bounds)
    if (!isWithin(common_dir, root)) throw externalRepositoryError(top)
    if (common_dir !== git_dir) assertNoExternalPaths(common_dir, bounds)
    return place
  }
  // A workspace may name any repository of the machine. Only one that refers back to it, from outside, is accepted.
  return namesWorktree(top, git_dir) ? place : { ...place, mustNameWorktree: true }
}

const externalRepositoryError = (top: string) =>
  new ToolError(
    'PERMISSION_DENIED',
    `The file .git in ${path.basename(top)} points to a repository outside the workspace that does not point back.`
  )

/** Throws if the repository's settings name another working tree, or not the required one. */
export function assertOwnWorktree(
  { top, git_dir, bare, mustNameWorktree }: RepositoryLocation,
  settings: { worktree: string | undefined; bare: boolean }
) {
  const { worktree } = settings
  if (worktree !== undefined && (bare || settings.bare))
    throw new ToolError(
      'PERMISSION_DENIED',
      `The repository at ${path.basename(top)} is bare, but its configuration has a working tree.`
    )
  if (!mustNameWorktree) return
  if (worktree === undefined || realPathIfExists(path.resolve(git_dir, worktree)) !== top)
    throw externalRepositoryError(top)
}

/** A workspace may contain paths that lead into another user's repository. */
function assertNoExternalPaths(git_dir: string, { root, readable }: RepositoryBounds) {
  const at = findExternalPath(git_dir, root, readable)
  if (at === undefined) return
  const hint = at.endsWith('alternates')
    ? '; add the folder with its shared objects to `sandbox.read`, or copy the objects with `git repack -a -d` and remove that file'
    : ''
  throw new ToolError(
    'PERMISSION_DENIED',
    `The git folder of ${path.basename(path.basename(git_dir) === '.git' ? path.dirname(git_dir) : git_dir)} refers to ` +
      `files outside the workspace in ${JSON.stringify(at)}${hint}.`
  )
}
