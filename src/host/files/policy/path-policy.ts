// Security classification of paths, by their resolved location, not their spelling: is it protected, may it hold credentials,
// does some program execute or interpret it later.
import type { BigIntStats } from 'node:fs'
import type { Workspace } from '../../workspace.ts'
import { type ResolvedEntry, TEMP_PREFIX } from '../paths.ts'
import type { GitUserFolders } from './git-programs.ts'
import { foldPath, NamePatterns } from './name-patterns.ts'
import { SecretNames } from './secret-names.ts'
import { SELF_STARTING_NAMES } from './self-starting-names.ts'
import { GIT_STORE_NAMES, PROTECTED_NAMES, SENSITIVE_NAMES } from './sensitive-names.ts'

/** Names protected beyond the built-in ones. One object for the whole server: results derived from it are cached. */
export interface PathGuard {
  /** Real path of the server's own state folder. */
  stateDir: string
  /** More name patterns to treat as sensitive (see `sensitive-names.ts`). */
  sensitive: readonly string[]
  /** Whose configuration of git names paths too. */
  gitUser?: GitUserFolders
}

export interface PathClassification {
  /** Canonical: links inside the workspace followed, '/'-separated, relative to the root; '.' is the root itself. */
  path: string
  kind: 'file' | 'directory' | 'other' | 'missing'
  /** The access that is always refused: 'write' (git's internals may be read), 'all' (the server's own state). */
  protected?: 'write' | 'all'
  /** May hold credentials, by its name: reading requires strict approval; excluded from searches. */
  sensitive: boolean
  /** Some program executes or interprets it later automatically: writing requires strict approval. */
  self_starting: boolean
}

/** A canonical path, and the links that led to it. */
export type CanonicalEntry = Pick<ResolvedEntry, 'path' | 'stat'> & Partial<Pick<ResolvedEntry, 'viaLinks'>>

/** Classifies a canonical path by its own name and by the names of the links that led there. */
export function classifyPath(
  workspace: Workspace,
  guard: PathGuard,
  { path, stat, viaLinks = [] }: CanonicalEntry
): PathClassification {
  const folded = foldPath(path)
  const names = folded.split('/')
  const links = viaLinks.map(way => foldPath(way).split('/'))
  const ways = [names, ...links]
  const secrets = secretNamesOf(guard)
  const kind = kindOf(stat)
  const protection =
    findProtection(workspace, guard, path, folded, names) ??
    (links.some(way => PROTECTED.covers(way)) ? 'write' : undefined)
  return {
    path,
    kind,
    ...(protection && { protected: protection }),
    sensitive: ways.some(way => secrets.covers(way, kind === 'directory') || GIT_STORES.covers(way)),
    self_starting: ways.some(way => SELF_STARTING.covers(way))
  }
}

/** Checks if descendants of a folder may be classified by that folder's name too, and so differently under another name. */
export function mayClassifyDescendants(guard: PathGuard, path: string): boolean {
  const names = foldPath(path).split('/')
  return [secretNamesOf(guard), GIT_STORES, PROTECTED, SELF_STARTING].some(patterns =>
    patterns.mayCoverDescendants(names)
  )
}

/**
 * Returns the access to a canonical path that is always refused: all that a listing needs, and cheaper than a full
 * classification.
 */
export function getProtection(workspace: Workspace, guard: PathGuard, path: string): PathClassification['protected'] {
  const folded = foldPath(path)
  return findProtection(workspace, guard, path, folded, folded.split('/'))
}

function findProtection(
  workspace: Workspace,
  guard: PathGuard,
  path: string,
  folded: string,
  names: readonly string[]
) {
  if (isServerFile(workspace, guard, path, folded)) return 'all'
  const isProtected = folded.includes(PROTECTED_NAME_PART) && PROTECTED.covers(names)
  return isProtected || containsStateFolder(workspace, guard, folded) ? 'write' : undefined
}

/** Checks if searches and listings of contents exclude a path (relative to the root). */
export function isHiddenPath(workspace: Workspace, guard: PathGuard, path: string): boolean {
  const { sensitive, protected: protection } = classifyPath(workspace, guard, { path, stat: undefined })
  return sensitive || protection !== undefined
}

/**
 * Returns the same exclusions as globs for ripgrep (`--iglob '!…'` each), so that such files are not even opened. They cover
 * slightly more than `isHiddenPath`, which also knows the exceptions.
 */
export function searchExcludeGlobs(workspace: Workspace, guard: PathGuard): string[] {
  const names = [...SENSITIVE_NAMES, ...guard.sensitive, '.git', `${TEMP_PREFIX}*`]
  const state = relativeWithin(workspace.root, guard.stateDir)
  return [...names.map(name => `**/${name}`), ...(state ? [`/${state}`] : [])]
}

function kindOf(stat: BigIntStats | undefined): PathClassification['kind'] {
  if (!stat) return 'missing'
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other'
}

const PROTECTED = new NamePatterns(PROTECTED_NAMES)
/** Substring of all protected names: most paths need not be compared with them. */
export const PROTECTED_NAME_PART = 'git'
const GIT_STORES = new NamePatterns(GIT_STORE_NAMES)
const SELF_STARTING = new NamePatterns(SELF_STARTING_NAMES)

const secretNames = new WeakMap<PathGuard, SecretNames>()

/** Returns the names that may hold credentials. */
export function secretNamesOf(guard: PathGuard) {
  const known = secretNames.get(guard)
  if (known) return known
  const names = new SecretNames(guard.sensitive)
  secretNames.set(guard, names)
  return names
}

function isServerFile({ root }: Workspace, { stateDir }: PathGuard, path: string, folded: string) {
  if (isWithin(stateDir, root)) return true
  const state = relativeWithin(root, stateDir)
  if (state !== undefined && isWithin(foldPath(state), folded)) return true
  return path.slice(path.lastIndexOf('/') + 1).startsWith(TEMP_PREFIX)
}

/** Checks if a folder contains the server's state: it may be read, but neither moved nor removed. */
function containsStateFolder({ root }: Workspace, { stateDir }: PathGuard, folded: string) {
  const state = relativeWithin(root, stateDir)
  return state !== undefined && folded !== '.' && isWithin(folded, foldPath(state))
}

const isWithin = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`)

/** Returns the path relative to a folder that contains it. */
const relativeWithin = (folder: string, path: string) =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined
