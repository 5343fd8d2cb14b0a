// What a path means to security, by where it ends, not by how it is spelled: is it off limits, may it hold credentials,
// does some program obey it later.
import type { BigIntStats } from 'node:fs'
import type { Workspace } from '../../host.ts'
import { type Place, TEMP_PREFIX } from '../paths.ts'
import { fold, NamePatterns } from './name-patterns.ts'
import { HARMLESS_NAMES, PROTECTED_NAMES, SELF_STARTING_NAMES, SENSITIVE_NAMES } from './sensitive-names.ts'

/** What is off limits beyond the built-in names. One object for the whole server: what is made from it is kept. */
export interface Guard {
  /** Real path of the server's own state folder. */
  stateDir: string
  /** More name patterns to treat as sensitive (see `names.ts`). */
  sensitive: readonly string[]
}

export interface Resolved {
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
export type Judged = Pick<Place, 'path' | 'stat'> & Partial<Pick<Place, 'through'>>

/** What policy must know of a canonical path: what it means itself, and what the links are called that led there. */
export function judge(workspace: Workspace, guard: Guard, { path, stat, through = [] }: Judged): Resolved {
  const folded = fold(path)
  const names = folded.split('/')
  const links = through.map(way => fold(way).split('/'))
  const ways = [names, ...links]
  const lists = listsOf(guard)
  const protection =
    protectionIn(workspace, guard, path, folded, names) ??
    (links.some(way => PROTECTED.covers(way)) ? 'write' : undefined)
  return {
    path,
    kind: kindOf(stat),
    ...(protection && { protected: protection }),
    sensitive: ways.some(way => isSensitive(way) || lists.covers(way)),
    self_starting: ways.some(way => SELF_STARTING.covers(way))
  }
}

const isSensitive = (names: readonly string[]) =>
  SENSITIVE.covers(names.map(name => (HARMLESS.covers([name]) ? '' : name)))

/** Whether what is beneath a folder may be judged by that folder's name too, and so otherwise beneath another. */
export function judgesBeneath(guard: Guard, path: string): boolean {
  const names = fold(path).split('/')
  return [SENSITIVE, listsOf(guard), PROTECTED, SELF_STARTING].some(patterns => patterns.mayCoverBeneath(names))
}

/** The access to a canonical path that is refused for ever: all that a listing asks of it, and the rest costs more. */
export function protectionOf(workspace: Workspace, guard: Guard, path: string): Resolved['protected'] {
  const folded = fold(path)
  return protectionIn(workspace, guard, path, folded, folded.split('/'))
}

function protectionIn(workspace: Workspace, guard: Guard, path: string, folded: string, names: readonly string[]) {
  if (belongsToServer(workspace, guard, path, folded)) return 'all'
  const isProtected = folded.includes(IN_ALL_PROTECTED) && PROTECTED.covers(names)
  return isProtected || holdsState(workspace, guard, folded) ? 'write' : undefined
}

/** Whether searches and listings of contents leave a path (relative to the root) out. */
export function isHidden(workspace: Workspace, guard: Guard, path: string): boolean {
  const { sensitive, protected: protection } = judge(workspace, guard, { path, stat: undefined })
  return sensitive || protection !== undefined
}

/**
 * The same as ignore globs for ripgrep (`--iglob '!…'` each), so that such files are not even opened. They cover a
 * little more than `isHidden`, which also knows the exceptions.
 */
export function searchExcludes(workspace: Workspace, guard: Guard): string[] {
  const names = [...SENSITIVE_NAMES, ...guard.sensitive, '.git', `${TEMP_PREFIX}*`]
  const state = below(workspace.root, guard.stateDir)
  return [...names.map(name => `**/${name}`), ...(state ? [`/${state}`] : [])]
}

function kindOf(stat: BigIntStats | undefined): Resolved['kind'] {
  if (!stat) return 'missing'
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other'
}

const PROTECTED = new NamePatterns(PROTECTED_NAMES)
/** Stands in each of the protected names: most paths need not be compared with them. */
export const IN_ALL_PROTECTED = 'git'
const SENSITIVE = new NamePatterns(SENSITIVE_NAMES)
const HARMLESS = new NamePatterns(HARMLESS_NAMES)
const SELF_STARTING = new NamePatterns(SELF_STARTING_NAMES)

const extra = new WeakMap<Guard, NamePatterns>()

function listsOf(guard: Guard) {
  const known = extra.get(guard)
  if (known) return known
  const patterns = new NamePatterns(guard.sensitive)
  extra.set(guard, patterns)
  return patterns
}

function belongsToServer({ root }: Workspace, { stateDir }: Guard, path: string, folded: string) {
  if (isWithin(stateDir, root)) return true
  const state = below(root, stateDir)
  if (state !== undefined && isWithin(fold(state), folded)) return true
  return path.slice(path.lastIndexOf('/') + 1).startsWith(TEMP_PREFIX)
}

/** The server's state lies beneath: such a folder may be looked at, not moved or removed. */
function holdsState({ root }: Workspace, { stateDir }: Guard, folded: string) {
  const state = below(root, stateDir)
  return state !== undefined && folded !== '.' && isWithin(folded, fold(state))
}

const isWithin = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`)

/** The path relative to a folder that holds it. */
const below = (folder: string, path: string) =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined
