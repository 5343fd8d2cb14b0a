// Plans a multi-file transaction: resolves its steps against the tree before any of them, so that a path that one step vacates is
// free for another, in any order.

import { constants } from 'node:fs'
import { ToolError } from '../../../errors.ts'
import { accessSync, readdirSync } from '../byte-path-fs.ts'
import { quotePath, staleFileError, toFileError } from '../errno.ts'
import { blockedPathError, fileExistsError, fileNotFoundError, notAFileError } from '../file-errors.ts'
import { statFingerprint } from '../fingerprint.ts'
import type { ResolvedEntry } from '../paths.ts'
import type { TransactionStep } from './transaction-step.ts'

type RemovalStep = Extract<TransactionStep, { do: 'remove' | 'move' }>
type PlacementStep = Extract<TransactionStep, { do: 'write' | 'move' | 'link' }>
type Stat = NonNullable<ResolvedEntry['stat']>

/** An entry that leaves its path. */
export interface Removal {
  step: RemovalStep
  path: string
  stat: Stat
  /** An existing folder that survives the transaction, for the hidden name; '' is the root. */
  stagingFolder: string
}

/** An entry that appears at a path. */
export interface Placement {
  step: PlacementStep
  path: string
  stagingFolder: string
  /** The file that it replaces. */
  replaces?: Stat
  /** The source of a move. */
  from?: Removal
}

export interface TransactionPlan {
  removals: Removal[]
  placements: Placement[]
  /** Folders to create, parents first, with explicit permission bits if given. */
  folders: [path: string, mode: number | undefined][]
  /** Folders whose permission bits change, parents first. */
  modeChanges: FolderModeChange[]
}

export interface FolderModeChange {
  path: string
  stat: Stat
  mode: number
}

/** Resolves the paths of steps. Refuses protected paths, and paths that differ from their classification. */
export interface PathResolver {
  walk(path: string): ResolvedEntry
  walkToEntry(path: string): ResolvedEntry
  /** Refuses a path that only these steps create. `given` was resolved elsewhere for policy. */
  assertNewPathAllowed(path: string, given: string): void
  /** Refuses to move a folder as a whole if it contains an entry that must stay. */
  assertMovable(folder: string): void
}

export function planTransaction(resolver: PathResolver, steps: readonly TransactionStep[]): TransactionPlan {
  const all = steps.flatMap(step => (step.do === 'remove' || step.do === 'move' ? [planRemoval(resolver, step)] : []))
  assertUnique(all, staleFileError)
  const taken = new Map(all.map(one => [one.path, one]))
  for (const one of all) one.stagingFolder = parentFolder(outermostRemoval(taken, one.path)!.path)
  for (const one of all)
    if (one.stat.isDirectory() && one.step.do === 'remove') assertBecomesEmpty(resolver, one, taken)
  const sources = new Map<TransactionStep, Removal>(all.map(one => [one.step, one]))
  const inodes = new Set(all.map(({ stat }) => inodeKey(stat)))

  const makes = new Map<string, number | undefined>()
  const placements: Placement[] = []
  for (const step of steps) {
    if (step.do === 'remove' || step.do === 'chmod') continue
    const spot = resolveDestination(resolver, step, taken)
    for (const folder of spot.missingFolders) if (!makes.has(folder)) makes.set(folder, undefined)
    if (step.do === 'folder') {
      if (!spot.stat?.isDirectory()) makes.set(assertFree(spot), step.mode)
    } else placements.push(planPlacement(step, spot, inodes, sources.get(step)))
  }
  assertUnique(placements, fileExistsError)
  for (const { path, step } of placements) if (makes.has(path)) throw blockedPathError(step.path)
  assertOutsideMovedFolders(all, placements, makes)
  const modeChanges = steps.flatMap(step => (step.do === 'chmod' ? [planModeChange(resolver, step)] : []))
  return {
    removals: all,
    placements,
    folders: [...makes].sort(([a], [b]) => (a < b ? -1 : 1)),
    modeChanges: modeChanges.sort((a, b) => (a.path < b.path ? -1 : 1))
  }
}

function planModeChange(
  resolver: PathResolver,
  { path: given, mode }: Extract<TransactionStep, { do: 'chmod' }>
): FolderModeChange {
  const { path, stat, close } = resolver.walkToEntry(given)
  close()
  if (!stat?.isDirectory()) throw staleFileError(given)
  return { path, stat, mode }
}

function planRemoval(resolver: PathResolver, step: RemovalStep): Removal {
  const place = resolver.walkToEntry(step.path)
  place.close()
  const { path, stat } = place
  if (!stat) throw fileNotFoundError(step.path)
  if (step.was && (path !== step.was.path || statFingerprint(stat) !== statFingerprint(step.was.stat)))
    throw staleFileError(step.path)
  const fits = step.do === 'move' && !step.was ? stat.isDirectory() : stat.isFile() || !step.was
  if (step.do === 'move' && stat.isDirectory()) resolver.assertMovable(path)
  const isMovable = stat.isFile() || stat.isSymbolicLink() || stat.isDirectory()
  if (!fits || !(isMovable || step.do === 'remove')) throw notAFileError(step.path, stat)
  return { step, path, stat, stagingFolder: '' }
}

/** The destination of an entry, and the folders to create for it. */
interface Destination {
  given: string
  path: string
  stagingFolder: string
  missingFolders: string[]
  stat: Stat | undefined
}

function resolveDestination(
  resolver: PathResolver,
  step: Exclude<TransactionStep, { do: 'remove' | 'chmod' }>,
  taken: ReadonlyMap<string, Removal>
): Destination {
  const given = step.do === 'move' ? step.to : step.path
  // An entry that leaves must be neither traversed nor followed: the path means what will be there.
  const plain = given.split('/').filter(part => part !== '' && part !== '.')
  const literal = given.startsWith('/') || plain.includes('..') ? undefined : plain.join('/')
  const gone = literal === undefined ? undefined : outermostRemoval(taken, literal)
  if (gone) return destinationInRemoved(resolver, gone, literal!, given)
  const place = step.do === 'link' ? resolver.walkToEntry(given) : resolver.walk(given)
  try {
    const { path, missingFolders: missing, stat } = place
    const left = outermostRemoval(taken, path)
    if (left) return destinationInRemoved(resolver, left, path, given)
    if (place.isBlocked) throw blockedPathError(given)
    if (step.do === 'write' && stat) accessSync(place.accessPath, constants.W_OK)
    const names = path.split('/')
    const depth = names.length - 1 - missing.length
    const missingFolders = missing.map((_, i) => names.slice(0, depth + i + 1).join('/'))
    return { given, path, stagingFolder: names.slice(0, depth).join('/'), missingFolders, stat }
  } catch (error) {
    throw toFileError(error, given)
  } finally {
    place.close()
  }
}

/** Returns a destination at or below an entry that leaves. */
function destinationInRemoved(resolver: PathResolver, gone: Removal, path: string, given: string): Destination {
  resolver.assertNewPathAllowed(path, given)
  const names = path.split('/')
  const depth = gone.path.split('/').length
  const missingFolders = names.slice(depth).map((_, i) => names.slice(0, depth + i).join('/'))
  return { given, path, stagingFolder: parentFolder(gone.path), missingFolders, stat: undefined }
}

function planPlacement(
  step: PlacementStep,
  spot: Destination,
  leaving: ReadonlySet<string>,
  from: Removal | undefined
): Placement {
  const { path, stagingFolder, stat } = spot
  const over = step.do === 'write' && step.was
  if (over && (!stat || path !== over.path || statFingerprint(stat) !== statFingerprint(over.stat)))
    throw staleFileError(step.path)
  if (over) return { step, path, stagingFolder, replaces: over.stat }
  // On a file system that treats two spellings as one, it is the entry that leaves.
  if (!stat || !leaving.has(inodeKey(stat))) assertFree(spot)
  return { step, path, stagingFolder, ...(from && { from }) }
}

function assertFree({ stat, path, given }: Destination): string {
  if (stat) throw fileExistsError(given)
  return path
}

/** Returns the outermost removal at or above a path. */
function outermostRemoval(taken: ReadonlyMap<string, Removal>, path: string): Removal | undefined {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
    const found = taken.get(path.slice(0, end))
    if (found) return found
  }
  return taken.get(path)
}

/** Allows an emptied folder to be removed; fails before any change if an entry remains in it. */
function assertBecomesEmpty(resolver: PathResolver, { path, step }: Removal, taken: ReadonlyMap<string, Removal>) {
  const place = resolver.walkToEntry(path)
  try {
    if (readdirSync(place.accessPath).every(name => taken.has(`${path}/${name}`))) return
    throw new ToolError('FILE_EXISTS', `${quotePath(step.path)} is not empty.`, { path: step.path })
  } catch (error) {
    throw toFileError(error, step.path)
  } finally {
    place.close()
  }
}

function assertUnique<T extends { path: string; step: TransactionStep }>(
  all: readonly T[],
  error: (path: string) => ToolError
) {
  const seen = new Set<string>()
  for (const { path, step } of all) {
    if (seen.has(path)) throw error(step.path)
    seen.add(path)
  }
}

function assertOutsideMovedFolders(
  taken: readonly Removal[],
  puts: readonly Placement[],
  makes: ReadonlyMap<string, unknown>
) {
  const moved = puts.flatMap(({ path, from }) => (from?.stat.isDirectory() ? [path, from.path] : []))
  if (moved.length === 0) return
  for (const path of [...taken.map(one => one.path), ...puts.map(put => put.path), ...makes.keys()]) {
    if (!moved.some(folder => path.startsWith(`${folder}/`))) continue
    throw new ToolError('INVALID_PATH', `${quotePath(path)} is in a folder that this call moves as a whole.`, { path })
  }
}

const inodeKey = ({ dev, ino }: Stat) => `${dev}:${ino}`

/** Joins a folder and a name; '' is the root. */
export const joinRelative = (folder: string, name: string) => (folder === '' ? name : `${folder}/${name}`)

const parentFolder = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))
