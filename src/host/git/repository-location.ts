// Which repository a path belongs to: the nearest at or above it, also above the workspace. Git is told what was found
// here, so that it looks for none itself and nothing that a repository says leads it to another.
import { lstatSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { isWithin, realPathIfExists } from '../sandbox/path-within.ts'
import type { Workspace } from '../workspace.ts'
import { findExternalPath } from './external-paths.ts'

/** Where a repository is; all absolute and real. */
export interface RepositoryLocation {
  /** The folder that holds the working tree; of a bare repository git's own folder. */
  top: string
  git_dir: string
  /** Where branches and objects are; the same but for linked worktrees. */
  common_dir: string
  bare: boolean
  /** It lies outside what the workspace holds and must name this working tree itself (`core.worktree`). */
  mustNameWorktree: boolean
}

/** Longer files lead nowhere. */
const MAX_POINTER_BYTES = 4_096
/** `folder` is canonical: relative to the root, without links. */
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
  // Whoever put it there is nobody whom the workspace brought.
  if (!isWithin(top, root)) return place
  if (isWithin(git_dir, root)) {
    assertNoExternalPaths(git_dir, root)
    if (!isWithin(common_dir, root)) throw externalRepositoryError(top)
    if (common_dir !== git_dir) assertNoExternalPaths(common_dir, root)
    return place
  }
  // A workspace may name any repository of the machine. Only one that names it back, outside of it, is taken.
  return readPointer(path.join(git_dir, 'gitdir'), /^(.+)$/m) === entry ? place : { ...place, mustNameWorktree: true }
}

/** Above the workspace somebody else may have put one, as into a folder that all may write to. */
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

/** Refused where its own settings lead elsewhere, or do not say what they must. */
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

/** The path that stands in a file, from the folder of the file. */
function readPointer(file: string, line: RegExp): string | undefined {
  try {
    if (!statSync(file).isFile()) return undefined
    const [, named] = line.exec(readFileSync(file, 'utf8').slice(0, MAX_POINTER_BYTES)) ?? []
    return named === undefined ? undefined : path.resolve(path.dirname(file), named.trim())
  } catch {
    return undefined
  }
}

/** The entry itself; undefined where none is, or nobody can tell. */
function lstatIfReadable(file: string) {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** A workspace may bring what leads into the repository of somebody else. */
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
