// Security classification of paths, by their resolved location, not their spelling: is it protected, may it hold credentials,
// does some program execute or interpret it later.
import { type BigIntStats, fstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isInFolder } from '../../../text/ancestors.ts'
import type { Workspace } from '../../workspace.ts'
import { serverFileError } from '../file-errors.ts'
import { isHiddenName, TEMP_PREFIX } from '../hidden-names.ts'
import type { ResolvedEntry } from '../paths.ts'
import { isConfigWithCredentials, mayHoldGitCredentials } from './git-credentials.ts'
import type { GitUserFolders } from './git-programs.ts'
import { hasMountBelow } from './mounts.ts'
import { foldPath, NamePatterns } from './name-patterns.ts'
import { SecretNames } from './secret-names.ts'
import { isSelfStarting, mayStartDescendants } from './self-starting.ts'
import { GIT_STORE_NAMES, PROTECTED_NAMES, SENSITIVE_NAMES } from './sensitive-names.ts'
import { ServerEntries, statIfReachable } from './server-entries.ts'

/** Names protected beyond the built-in ones. One object for the whole server: results derived from it are cached. */
export interface PathGuard {
  /** Real path of the server's own state folder. */
  stateDir: string
  /** Real paths of further files and folders of this server, and of the user's other servers. */
  serverPaths?: readonly string[]
  /** More name patterns to treat as sensitive (see `sensitive-names.ts`). */
  sensitive: readonly string[]
  /** Whose configuration of git names paths too. */
  gitUser?: GitUserFolders
}

export interface PathClassification {
  /** Canonical: links inside the workspace followed, '/'-separated, relative to the root; '.' is the root itself. */
  path: string
  kind: 'file' | 'directory' | 'other' | 'missing'
  /** The path with the names that were asked for, if entries that look the same stand for them: rules may be about these, too. */
  asked?: string
  /** The access that is always refused: 'write' (git's internals may be read), 'all' (files of servers). */
  protected?: 'write' | 'all'
  /** May hold credentials, by its name: reading requires strict approval; excluded from searches. */
  sensitive: boolean
  /**
   * Some program executes or interprets it later automatically, by its name or its repository: writing requires strict approval. The same holds for
   * what git's configuration names (`ResolvedPaths.isSelfStarting`).
   */
  self_starting: boolean
}

/** A canonical path, the links that led to it, and the folders on the way. */
export type CanonicalEntry = Pick<ResolvedEntry, 'path' | 'stat'> & Partial<Pick<ResolvedEntry, 'viaLinks' | 'folders'>>

/** Classifies a canonical path by its own name and by the names of the links that led there. */
export function classifyPath(
  workspace: Workspace,
  guard: PathGuard,
  { path, stat, viaLinks = [], folders = [] }: CanonicalEntry
): PathClassification {
  const folded = foldPath(path)
  const names = folded.split('/')
  const links = viaLinks.map(way => foldPath(way).split('/'))
  const ways = [names, ...links]
  const secrets = secretNamesOf(guard)
  const kind = kindOf(stat)
  const isServerEntry = folders.some(folder => hasServerEntry(guard, folder)) || (stat && hasServerEntry(guard, stat))
  const protection = isServerEntry
    ? 'all'
    : (findProtection(workspace, guard, { path, folded, names, stat }) ??
      (links.some(way => PROTECTED.covers(way)) ? 'write' : undefined))
  return {
    path,
    kind,
    ...(protection && { protected: protection }),
    sensitive:
      protection === 'all' ||
      ways.some(
        way =>
          secrets.covers(way, kind === 'directory') ||
          GIT_STORES.covers(way) ||
          mayHoldGitCredentials(way) ||
          way.at(-1)!.startsWith(TEMP_PREFIX)
      ) ||
      (stat?.isFile() === true && isConfigWithCredentials(names, join(workspace.root, path))),
    self_starting: ways.some(isSelfStarting)
  }
}

/** Refuses an entry that belongs to the server. The error names the path as `given`. */
export function assertNotServerFile(workspace: Workspace, guard: PathGuard, entry: CanonicalEntry, given: string) {
  if (classifyPath(workspace, guard, entry).protected === 'all') throw serverFileError(given)
}

/** Checks if descendants of a folder may be classified by that folder's name too, and so differently under another name. */
export function mayClassifyDescendants(guard: PathGuard, path: string): boolean {
  const names = foldPath(path).split('/')
  return (
    mayStartDescendants(names) ||
    [secretNamesOf(guard), GIT_STORES, PROTECTED].some(patterns => patterns.mayCoverDescendants(names))
  )
}

/**
 * Returns the access to a canonical path that is always refused: all that a listing needs, and cheaper than a full
 * classification.
 */
export function getProtection(
  workspace: Workspace,
  guard: PathGuard,
  path: string,
  stat: BigIntStats
): PathClassification['protected'] {
  if (hasServerEntry(guard, stat)) return 'all'
  const folded = foldPath(path)
  return findProtection(workspace, guard, { path, folded, names: folded.split('/'), stat })
}

interface SpelledEntry extends CanonicalEntry {
  folded: string
  names: readonly string[]
}

function findProtection(workspace: Workspace, guard: PathGuard, { path, folded, names, stat }: SpelledEntry) {
  if (isServerFile(workspace, guard, folded)) return 'all'
  const isProtected = folded.includes(PROTECTED_NAME_PART) && PROTECTED.covers(names)
  const isAbove =
    containsServerFile(workspace, guard, folded) || (stat && path !== '.' && serverEntriesOf(guard).isAbove(stat))
  return isProtected || isAbove ? 'write' : undefined
}

/** Returns a check of absolute paths: it recognizes files and folders of servers by name and by identity, but not what lies in them. */
export function createServerEntryCheck(workspace: Workspace, guard: PathGuard): (file: string) => boolean {
  return file => {
    const path = relativeWithin(workspace.root, file)
    const stat = path === undefined ? undefined : statIfReachable(file)
    return path !== undefined && stat !== undefined && getProtection(workspace, guard, path, stat) === 'all'
  }
}

/** Recognizes files of servers among canonical paths that another program has found, also those that no name reveals. */
export interface FoundServerFiles {
  has(path: string): boolean
  /** Checks a folder and those above it: cheaper, and enough for the files in it where no content is shown. */
  hasFolder(folder: string): boolean
}

/**
 * The result remembers folders: it is for one search. Folders are not looked at where none of a server can be: where those are at their
 * paths, only a mount could show one elsewhere.
 */
export function findServerFiles(workspace: Workspace, guard: PathGuard): FoundServerFiles {
  const isExcluded = createServerEntryCheck(workspace, guard)
  const isServerPath = (path: string) => isExcluded(join(workspace.root, path))
  const mayHaveOtherPaths = serverEntriesOf(guard).haveMovedFolders() || hasMountBelow(workspace.root)
  const isServerFolder = mayHaveOtherPaths
    ? isServerPath
    : (folder: string) => isServerFile(workspace, guard, foldPath(folder))
  const known = new Map<string, boolean>([['.', false]])
  const isInside = (folder: string): boolean => {
    const before = known.get(folder)
    if (before !== undefined) return before
    const found = isInside(dirname(folder)) || isServerFolder(folder)
    known.set(folder, found)
    return found
  }
  return { has: path => isInside(dirname(path)) || isServerPath(path), hasFolder: isInside }
}

const serverEntries = new WeakMap<PathGuard, ServerEntries>()

/** Returns the files and folders of servers by their identity. */
export function serverEntriesOf(guard: PathGuard): ServerEntries {
  const known = serverEntries.get(guard)
  if (known) return known
  const entries = new ServerEntries(serverPathsOf(guard))
  serverEntries.set(guard, entries)
  return entries
}

const hasServerEntry = (guard: PathGuard, stat: BigIntStats) => serverEntriesOf(guard).has(stat)

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
  const names = [...SENSITIVE_NAMES, ...guard.sensitive, '.git', '.gitmodules*', `${TEMP_PREFIX}*`]
  const own = serverPathsOf(guard).flatMap(file => relativeWithin(workspace.root, file) ?? [])
  return [...names.map(name => `**/${name}`), ...own.map(name => `/${name}`)]
}

function kindOf(stat: BigIntStats | undefined): PathClassification['kind'] {
  if (!stat) return 'missing'
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other'
}

const PROTECTED = new NamePatterns(PROTECTED_NAMES)
/** Substring of all protected names: most paths need not be compared with them. */
export const PROTECTED_NAME_PART = 'git'
const GIT_STORES = new NamePatterns(GIT_STORE_NAMES)

const secretNames = new WeakMap<PathGuard, SecretNames>()

/** Returns the names that may hold credentials. */
export function secretNamesOf(guard: PathGuard) {
  const known = secretNames.get(guard)
  if (known) return known
  const names = new SecretNames(guard.sensitive)
  secretNames.set(guard, names)
  return names
}

const serverPathsOf = ({ stateDir, serverPaths = [] }: PathGuard) => [...new Set([stateDir, ...serverPaths])]

/** The files and folders of servers, as seen from a workspace. */
interface ServerPlaces {
  /** The workspace lies in one of them. */
  isAround: boolean
  /** Those in the workspace: folded paths, relative to its root. */
  within: readonly string[]
}

const serverPlaces = new WeakMap<PathGuard, Map<string, ServerPlaces>>()

function serverPlacesOf({ root, fd }: Workspace, guard: PathGuard): ServerPlaces {
  const byRoot = serverPlaces.get(guard) ?? new Map<string, ServerPlaces>()
  serverPlaces.set(guard, byRoot)
  const known = byRoot.get(root)
  if (known) return known
  const paths = serverPathsOf(guard)
  const places = {
    isAround: paths.some(file => isInFolder(root, file)) || serverEntriesOf(guard).has(fstatSync(fd, { bigint: true })),
    within: paths.flatMap(file => relativeWithin(root, file) ?? []).map(foldPath)
  }
  byRoot.set(root, places)
  return places
}

function isServerFile(workspace: Workspace, guard: PathGuard, folded: string) {
  const { isAround, within } = serverPlacesOf(workspace, guard)
  if (isAround || within.some(file => isInFolder(folded, file))) return true
  return isHiddenName(folded.slice(folded.lastIndexOf('/') + 1))
}

/** Checks if a folder contains files of servers: it may be read, but neither moved nor removed. */
const containsServerFile = (workspace: Workspace, guard: PathGuard, folded: string) =>
  folded !== '.' && serverPlacesOf(workspace, guard).within.some(file => isInFolder(file, folded))

/** Returns the path relative to a folder that contains it. */
function relativeWithin(folder: string, path: string) {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined
}
