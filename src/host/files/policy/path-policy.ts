// What a path means to security, by where it ends, not by how it is spelled: is it off limits, may it hold credentials,
// does some program obey it later.
import type { BigIntStats } from 'node:fs'
import type { Workspace } from '../../workspace.ts'
import { type ResolvedEntry, TEMP_PREFIX } from '../paths.ts'
import { foldPath, NamePatterns } from './name-patterns.ts'
import { NON_SENSITIVE_NAMES, PROTECTED_NAMES, SELF_STARTING_NAMES, SENSITIVE_NAMES } from './sensitive-names.ts'

/** What is off limits beyond the built-in names. One object for the whole server: what is made from it is kept. */
export interface PathGuard {
  /** Real path of the server's own state folder. */
  stateDir: string
  /** More name patterns to treat as sensitive (see `names.ts`). */
  sensitive: readonly string[]
}

export interface PathClassification {
  /** Canonical: links inside the workspace followed, '/'-separated, relative to the root; '.' is the root itself. */
  path: string
  kind: 'file' | 'directory' | 'other' | 'missing'
  /** The access that is refused for ever: 'write' (git's internals may be read), 'all' (the server's own state). */
  protected?: 'write' | 'all'
  /** Holds credentials by its name: reading asks strictly; left out of searches. */
  sensitive: boolean
  /** Some program runs or obeys it later by itself: writing asks strictly. */
  self_starting: boolean
}

/** A canonical path, and the links that led to it. */
export type CanonicalEntry = Pick<ResolvedEntry, 'path' | 'stat'> & Partial<Pick<ResolvedEntry, 'viaLinks'>>

/** What policy must know of a canonical path: what it means itself, and what the links are called that led there. */
export function classifyPath(
  workspace: Workspace,
  guard: PathGuard,
  { path, stat, viaLinks = [] }: CanonicalEntry
): PathClassification {
  const folded = foldPath(path)
  const names = folded.split('/')
  const links = viaLinks.map(way => foldPath(way).split('/'))
  const ways = [names, ...links]
  const lists = sensitivePatternsOf(guard)
  const protection =
    findProtection(workspace, guard, path, folded, names) ??
    (links.some(way => PROTECTED.covers(way)) ? 'write' : undefined)
  return {
    path,
    kind: kindOf(stat),
    ...(protection && { protected: protection }),
    sensitive: ways.some(way => isSensitiveName(way) || lists.covers(way)),
    self_starting: ways.some(way => SELF_STARTING.covers(way))
  }
}

const isSensitiveName = (names: readonly string[]) =>
  SENSITIVE.covers(names.map(name => (SENSITIVE_EXCEPTIONS.covers([name]) ? '' : name)))

/** Whether what is beneath a folder may be judged by that folder's name too, and so otherwise beneath another. */
export function mayClassifyDescendants(guard: PathGuard, path: string): boolean {
  const names = foldPath(path).split('/')
  return [SENSITIVE, sensitivePatternsOf(guard), PROTECTED, SELF_STARTING].some(patterns =>
    patterns.mayCoverDescendants(names)
  )
}

/** The access to a canonical path that is refused for ever: all that a listing asks of it, and the rest costs more. */
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

/** Whether searches and listings of contents leave a path (relative to the root) out. */
export function isHiddenPath(workspace: Workspace, guard: PathGuard, path: string): boolean {
  const { sensitive, protected: protection } = classifyPath(workspace, guard, { path, stat: undefined })
  return sensitive || protection !== undefined
}

/**
 * The same as ignore globs for ripgrep (`--iglob '!…'` each), so that such files are not even opened. They cover a
 * little more than `isHiddenPath`, which also knows the exceptions.
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
/** Stands in each of the protected names: most paths need not be compared with them. */
export const PROTECTED_NAME_PART = 'git'
const SENSITIVE = new NamePatterns(SENSITIVE_NAMES)
const SENSITIVE_EXCEPTIONS = new NamePatterns(NON_SENSITIVE_NAMES)
const SELF_STARTING = new NamePatterns(SELF_STARTING_NAMES)

const sensitivePatterns = new WeakMap<PathGuard, NamePatterns>()

function sensitivePatternsOf(guard: PathGuard) {
  const known = sensitivePatterns.get(guard)
  if (known) return known
  const patterns = new NamePatterns(guard.sensitive)
  sensitivePatterns.set(guard, patterns)
  return patterns
}

function isServerFile({ root }: Workspace, { stateDir }: PathGuard, path: string, folded: string) {
  if (isWithin(stateDir, root)) return true
  const state = relativeWithin(root, stateDir)
  if (state !== undefined && isWithin(foldPath(state), folded)) return true
  return path.slice(path.lastIndexOf('/') + 1).startsWith(TEMP_PREFIX)
}

/** The server's state lies beneath: such a folder may be looked at, not moved or removed. */
function containsStateFolder({ root }: Workspace, { stateDir }: PathGuard, folded: string) {
  const state = relativeWithin(root, stateDir)
  return state !== undefined && folded !== '.' && isWithin(folded, foldPath(state))
}

const isWithin = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`)

/** The path relative to a folder that holds it. */
const relativeWithin = (folder: string, path: string) =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined
