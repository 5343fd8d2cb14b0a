// Locates the repository of a path: the nearest at or above it, also above the workspace. The result is passed to git explicitly,
// so that it does not search itself and no repository setting redirects it.
import { lstatSync, statSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { readGitPointer } from '../files/policy/git-pointer.ts'
import { isWithin, realPathIfExists } from '../sandbox/path-within.ts'
import type { Workspace } from '../workspace.ts'
import { findExternalPath } from './external-paths.ts'

/** Location of a repository; all paths are absolute and real. */
export interface RepositoryLocation {
  /** Folder of the working tree; git's own folder for a bare repository. */
  top: string
  git_dir: string
  /** Folder of branches and objects; differs only for linked worktrees. */
  common_dir: string
  bare: boolean
  /** It is outside the workspace and must name this working tree itself (`core.worktree`). */
  mustNameWorktree: boolean
}

/** Finds the repository of a folder. `folder` is canonical: relative to the root, without links. */
export function findRepository(workspace: Workspace, folder: string): RepositoryLocation {
  const { root } = workspace
  for (let at = path.join(root, folder); ; at = path.dirname(at)) {
    const found = repositoryAt(at, root)
    if (found) return found
    if (at === root) break
  }
  return repositoryAboveRoot(root) ?? throwNoRepository(folder)
}

function throwNoRepository(folder: string): never {
  throw new ToolError(
    'FILE_NOT_FOUND',
    `There is no git repository at ${folder === '.' ? 'the workspace root' : folder} or above it. Name a path inside one, or make one with \`git init\`.`,
    { path: folder, missing: 'repository' }
  )
}

function repositoryAt(at: string, root: string): RepositoryLocation | undefined {
  const entry = path.join(at, '.git')
  if (lstatIfReadable(entry)) return withWorktree(at, entry, root)
  if (path.basename(at) === '.git' || !isGitDir(at)) return undefined
  assertNoExternalPaths(at, root)
  if (resolveCommonDir(at) !== at) throw externalRepositoryError(at)
  return { top: at, git_dir: at, common_dir: at, bare: true, mustNameWorktree: false }
}

function withWorktree(top: string, entry: string, root: string): RepositoryLocation | undefined {
  const git_dir = resolveGitDir(entry)
  if (git_dir === undefined) return undefined
  const common_dir = resolveCommonDir(git_dir)
  const place = { top, git_dir, common_dir, bare: false, mustNameWorktree: false }
  // Not placed there by the workspace's content.
  if (!isWithin(top, root)) return place
  if (isWithin(git_dir, root)) {
    assertNoExternalPaths(git_dir, root)
    if (!isWithin(common_dir, root)) throw externalRepositoryError(top)
    if (common_dir !== git_dir) assertNoExternalPaths(common_dir, root)
    return place
  }
  // A workspace may name any repository of the machine. Only one that refers back to it, from outside, is accepted.
  return readPointer(path.join(git_dir, 'gitdir'), /^(.+)$/m) === entry ? place : { ...place, mustNameWorktree: true }
}

/** Another user may have created one above the workspace, as in a world-writable folder. */
function repositoryAboveRoot(root: string): RepositoryLocation | undefined {
  const own = statSync(root)
  for (let at = path.dirname(root); ; at = path.dirname(at)) {
    const stat = statSync(at)
    if (stat.dev !== own.dev) return undefined
    const found = lstatIfReadable(path.join(at, '.git'))
    if (found) {
      const isOurs = [own.uid, process.getuid?.()].includes(found.uid)
      const place = isOurs ? withWorktree(at, path.join(at, '.git'), root) : undefined
      if (place) return place
    }
    if (at === path.dirname(at)) return undefined
  }
}

const externalRepositoryError = (top: string) =>
  new ToolError(
    'PERMISSION_DENIED',
    `The .git of ${path.basename(top)} leads to a repository outside the workspace that does not know of it.`
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
      `The repository at ${path.basename(top)} is bare and names a working tree.`
    )
  if (!mustNameWorktree) return
  if (worktree === undefined || realPathIfExists(path.resolve(git_dir, worktree)) !== top)
    throw externalRepositoryError(top)
}

function resolveGitDir(entry: string): string | undefined {
  const stat = statSync(entry, { throwIfNoEntry: false })
  const folder = stat?.isFile() ? readPointer(entry, /^gitdir: (.+)$/m) : entry
  const real = folder === undefined ? undefined : realPathIfExists(folder)
  return real !== undefined && (isGitDir(real) || isLinkedWorktree(real)) ? real : undefined
}

function isGitDir(folder: string): boolean {
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

function resolveCommonDir(git_dir: string): string {
  const named = readPointer(path.join(git_dir, 'commondir'), /^(.+)$/m)
  return (named !== undefined && realPathIfExists(named)) || git_dir
}

/** Reads a path from a file, relative to the file's folder. */
function readPointer(file: string, line: RegExp): string | undefined {
  const named = readGitPointer(file, line)
  return named === undefined ? undefined : path.resolve(path.dirname(file), named)
}

/** Inspects the entry without following a link; returns undefined if it is missing or inaccessible. */
function lstatIfReadable(file: string) {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** A workspace may contain paths that lead into another user's repository. */
function assertNoExternalPaths(git_dir: string, root: string) {
  const at = findExternalPath(git_dir, root)
  if (at === undefined) return
  const hint = at.endsWith('alternates')
    ? '; take in what it borrows with `git repack -a -d`, and remove that file'
    : ''
  throw new ToolError(
    'PERMISSION_DENIED',
    `The git folder of ${path.basename(path.basename(git_dir) === '.git' ? path.dirname(git_dir) : git_dir)} leads out of the workspace by ${JSON.stringify(at)}${hint}.`
  )
}
