// Which repository a path belongs to: the nearest at or above it, also above the workspace. Git is told what was found
// here, so that it looks for none itself and nothing that a repository says leads it to another.
import { lstatSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import type { Workspace } from '../host.ts'
import { isBeneath, realIfThere } from '../sandbox/path-within.ts'
import { leadingOut } from './external-paths.ts'

/** Where a repository is; all absolute and real. */
export interface RepositoryPlace {
  /** The folder that holds the working tree; of a bare repository git's own folder. */
  top: string
  git_dir: string
  /** Where branches and objects are; the same but for linked worktrees. */
  common_dir: string
  bare: boolean
  /** It lies outside what the workspace holds and must name this working tree itself (`core.worktree`). */
  must_name_tree: boolean
}

/** Longer files lead nowhere. */
const LONGEST = 4_096
/** `folder` is canonical: relative to the root, without links. */
export function findRepository(workspace: Workspace, folder: string): RepositoryPlace {
  const { root } = workspace
  for (let at = path.join(root, folder); ; at = path.dirname(at)) {
    const found = repositoryIn(at, root)
    if (found) return found
    if (at === root) break
  }
  return aboveRoot(root) ?? refuseNone(folder)
}

function refuseNone(folder: string): never {
  throw new ToolError(
    'FILE_NOT_FOUND',
    `There is no git repository at ${folder === '.' ? 'the workspace root' : folder} or above it. Name a path inside one, or make one with \`git init\`.`,
    { path: folder, missing: 'repository' }
  )
}

function repositoryIn(at: string, root: string): RepositoryPlace | undefined {
  const entry = path.join(at, '.git')
  if (look(entry)) return withTree(at, entry, root)
  if (path.basename(at) === '.git' || !isGitFolder(at)) return undefined
  refuseLeadingOut(at, root)
  if (commonOf(at) !== at) throw leadsOut(at)
  return { top: at, git_dir: at, common_dir: at, bare: true, must_name_tree: false }
}

function withTree(top: string, entry: string, root: string): RepositoryPlace | undefined {
  const git_dir = gitFolderOf(entry)
  if (git_dir === undefined) return undefined
  const common_dir = commonOf(git_dir)
  const place = { top, git_dir, common_dir, bare: false, must_name_tree: false }
  // Whoever put it there is nobody whom the workspace brought.
  if (!isBeneath(top, root)) return place
  if (isBeneath(git_dir, root)) {
    refuseLeadingOut(git_dir, root)
    if (!isBeneath(common_dir, root)) throw leadsOut(top)
    if (common_dir !== git_dir) refuseLeadingOut(common_dir, root)
    return place
  }
  // A workspace may name any repository of the machine. Only one that names it back, outside of it, is taken.
  return pointedTo(path.join(git_dir, 'gitdir'), /^(.+)$/m) === entry ? place : { ...place, must_name_tree: true }
}

/** Above the workspace somebody else may have put one, as into a folder that all may write to. */
function aboveRoot(root: string): RepositoryPlace | undefined {
  const own = statSync(root)
  for (let at = path.dirname(root); ; at = path.dirname(at)) {
    const stat = statSync(at)
    if (stat.dev !== own.dev) return undefined
    const found = look(path.join(at, '.git'))
    if (found) {
      const isOurs = [own.uid, process.getuid?.()].includes(found.uid)
      const place = isOurs ? withTree(at, path.join(at, '.git'), root) : undefined
      if (place) return place
    }
    if (at === path.dirname(at)) return undefined
  }
}

const leadsOut = (top: string) =>
  new ToolError(
    'PERMISSION_DENIED',
    `The .git of ${path.basename(top)} leads to a repository outside the workspace that does not know of it.`
  )

/** Refused where its own settings lead elsewhere, or do not say what they must. */
export function refuseForeign(
  { top, git_dir, bare, must_name_tree }: RepositoryPlace,
  settings: { worktree: string | undefined; bare: boolean }
) {
  const { worktree } = settings
  if (worktree !== undefined && (bare || settings.bare))
    throw new ToolError(
      'PERMISSION_DENIED',
      `The repository at ${path.basename(top)} is bare and names a working tree.`
    )
  if (!must_name_tree) return
  if (worktree === undefined || realIfThere(path.resolve(git_dir, worktree)) !== top) throw leadsOut(top)
}

function gitFolderOf(entry: string): string | undefined {
  const stat = statSync(entry, { throwIfNoEntry: false })
  const folder = stat?.isFile() ? pointedTo(entry, /^gitdir: (.+)$/m) : entry
  const real = folder === undefined ? undefined : realIfThere(folder)
  return real !== undefined && (isGitFolder(real) || isLinked(real)) ? real : undefined
}

function isGitFolder(folder: string): boolean {
  const is = (name: string) => statSync(path.join(folder, name), { throwIfNoEntry: false })
  return look(path.join(folder, 'HEAD')) !== undefined && !!is('objects')?.isDirectory() && !!is('refs')?.isDirectory()
}

const isLinked = (folder: string) =>
  [folder, commonOf(folder)].every(at => statSync(path.join(at, 'HEAD'), { throwIfNoEntry: false })?.isFile()) &&
  isGitFolder(commonOf(folder))

function commonOf(git_dir: string): string {
  const named = pointedTo(path.join(git_dir, 'commondir'), /^(.+)$/m)
  return (named !== undefined && realIfThere(named)) || git_dir
}

/** The path that stands in a file, from the folder of the file. */
function pointedTo(file: string, line: RegExp): string | undefined {
  try {
    if (!statSync(file).isFile()) return undefined
    const [, named] = line.exec(readFileSync(file, 'utf8').slice(0, LONGEST)) ?? []
    return named === undefined ? undefined : path.resolve(path.dirname(file), named.trim())
  } catch {
    return undefined
  }
}

/** The entry itself; undefined where none is, or nobody can tell. */
function look(file: string) {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** A workspace may bring what leads into the repository of somebody else. */
function refuseLeadingOut(git_dir: string, root: string) {
  const at = leadingOut(git_dir, root)
  if (at === undefined) return
  const hint = at.endsWith('alternates')
    ? '; take in what it borrows with `git repack -a -d`, and remove that file'
    : ''
  throw new ToolError(
    'PERMISSION_DENIED',
    `The git folder of ${path.basename(path.basename(git_dir) === '.git' ? path.dirname(git_dir) : git_dir)} leads out of the workspace by ${JSON.stringify(at)}${hint}.`
  )
}
