// What the steps of a change over several files come to, seen against the tree as it is before any of them: what they
// take away makes room for what they put, in whatever order they are given.
import { accessSync, constants, readdirSync } from 'node:fs'
import { ToolError } from '../../../errors.ts'
import { explain, quote } from '../errno.ts'
import { notAFile, notFound, stale } from '../file-reader.ts'
import { stampOf } from '../fingerprint.ts'
import type { Place } from '../paths.ts'
import type { Step } from './transaction-step.ts'

type Taking = Extract<Step, { do: 'remove' | 'move' }>
type Putting = Extract<Step, { do: 'write' | 'move' | 'link' }>
type Stat = NonNullable<Place['stat']>

/** What leaves its place. */
export interface Taken {
  step: Taking
  path: string
  stat: Stat
  /** A folder that stays through all of this, for its hidden name; '' is the root. */
  shelter: string
}

/** What comes to a place. */
export interface Put {
  step: Putting
  path: string
  shelter: string
  /** The file that it replaces. */
  over?: Stat
  /** Where it comes from, of a move. */
  from?: Taken
}

export interface Plan {
  taken: Taken[]
  puts: Put[]
  /** Folders to make, those above first, with permission bits where they are given. */
  makes: [path: string, mode: number | undefined][]
}

/** How the paths of steps are reached. What no call may change is refused, and what is not as it was judged. */
export interface Ground {
  walk(path: string): Place
  walkToEntry(path: string): Place
  /** Refuses a place that only these steps make, by its path. `given` was judged to lead elsewhere. */
  refuseNew(path: string, given: string): void
  /** Refuses to move a folder whole, where something in it must stay. */
  refuseMove(folder: string): void
}

export function planOf(ground: Ground, steps: readonly Step[]): Plan {
  const all = steps.flatMap(step => (step.do === 'remove' || step.do === 'move' ? [takenBy(ground, step)] : []))
  refuseTwice(all, stale)
  const taken = new Map(all.map(one => [one.path, one]))
  for (const one of all) one.shelter = folderOf(outermost(taken, one.path)!.path)
  for (const one of all) if (one.stat.isDirectory() && one.step.do === 'remove') mustGetEmpty(ground, one, taken)
  const sources = new Map<Step, Taken>(all.map(one => [one.step, one]))
  const inodes = new Set(all.map(({ stat }) => inodeOf(stat)))

  const makes = new Map<string, number | undefined>()
  const puts: Put[] = []
  for (const step of steps) {
    if (step.do === 'remove') continue
    const spot = spotOf(ground, step, taken)
    for (const folder of spot.makes) if (!makes.has(folder)) makes.set(folder, undefined)
    if (step.do === 'folder') {
      if (!spot.stat?.isDirectory()) makes.set(refuseOccupied(spot), step.mode)
    } else puts.push(putOf(step, spot, inodes, sources.get(step)))
  }
  refuseTwice(puts, alreadyThere)
  for (const { path, step } of puts) if (makes.has(path)) throw notAFolder(step.path)
  refuseWithinMoved(all, puts, makes)
  return { taken: all, puts, makes: [...makes].sort(([a], [b]) => (a < b ? -1 : 1)) }
}

function takenBy(ground: Ground, step: Taking): Taken {
  const place = ground.walkToEntry(step.path)
  place.close()
  const { path, stat } = place
  if (!stat) throw notFound(step.path)
  if (step.was && (path !== step.was.path || stampOf(stat) !== stampOf(step.was.stat))) throw stale(step.path)
  const fits = step.do === 'move' && !step.was ? stat.isDirectory() : stat.isFile() || !step.was
  if (step.do === 'move' && stat.isDirectory()) ground.refuseMove(path)
  if (!fits || !(stat.isFile() || stat.isSymbolicLink() || stat.isDirectory())) throw notAFile(step.path, stat)
  return { step, path, stat, shelter: '' }
}

/** Where something comes to, and what must be made for it. */
interface Spot {
  given: string
  path: string
  shelter: string
  makes: string[]
  stat: Stat | undefined
}

function spotOf(ground: Ground, step: Exclude<Step, { do: 'remove' }>, taken: ReadonlyMap<string, Taken>): Spot {
  const given = step.do === 'move' ? step.to : step.path
  // What leaves must not be walked through, nor into: the path means what will be there.
  const plain = given.split('/').filter(part => part !== '' && part !== '.')
  const literal = given.startsWith('/') || plain.includes('..') ? undefined : plain.join('/')
  const gone = literal === undefined ? undefined : outermost(taken, literal)
  if (gone) return inRoomOf(ground, gone, literal!, given)
  const place = step.do === 'link' ? ground.walkToEntry(given) : ground.walk(given)
  try {
    const { path, missing, stat } = place
    const left = outermost(taken, path)
    if (left) return inRoomOf(ground, left, path, given)
    if (place.blocked) throw notAFolder(given)
    if (step.do === 'write' && stat) accessSync(place.door, constants.W_OK)
    const names = path.split('/')
    const depth = names.length - 1 - missing.length
    const makes = missing.map((_, i) => names.slice(0, depth + i + 1).join('/'))
    return { given, path, shelter: names.slice(0, depth).join('/'), makes, stat }
  } catch (error) {
    throw explain(error, given)
  } finally {
    place.close()
  }
}

/** A spot at or beneath something that leaves. */
function inRoomOf(ground: Ground, gone: Taken, path: string, given: string): Spot {
  ground.refuseNew(path, given)
  const names = path.split('/')
  const depth = gone.path.split('/').length
  const makes = names.slice(depth).map((_, i) => names.slice(0, depth + i).join('/'))
  return { given, path, shelter: folderOf(gone.path), makes, stat: undefined }
}

function putOf(step: Putting, spot: Spot, leaving: ReadonlySet<string>, from: Taken | undefined): Put {
  const { path, shelter, stat } = spot
  const over = step.do === 'write' && step.was
  if (over && (!stat || path !== over.path || stampOf(stat) !== stampOf(over.stat))) throw stale(step.path)
  if (over) return { step, path, shelter, over: over.stat }
  // Under another spelling, on a file system that takes both for one, it is what leaves.
  if (!stat || !leaving.has(inodeOf(stat))) refuseOccupied(spot)
  return { step, path, shelter, ...(from && { from }) }
}

function refuseOccupied({ stat, path, given }: Spot): string {
  if (stat) throw alreadyThere(given)
  return path
}

/** The outermost of what is taken that is at or above a path. */
function outermost(taken: ReadonlyMap<string, Taken>, path: string): Taken | undefined {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
    const found = taken.get(path.slice(0, end))
    if (found) return found
  }
  return taken.get(path)
}

/** An emptied folder goes; one that something stays in is refused while nothing has been done. */
function mustGetEmpty(ground: Ground, { path, step }: Taken, taken: ReadonlyMap<string, Taken>) {
  const place = ground.walkToEntry(path)
  try {
    if (readdirSync(place.door).every(name => taken.has(`${path}/${name}`))) return
    throw new ToolError('FILE_EXISTS', `${quote(step.path)} is not empty.`, { path: step.path })
  } catch (error) {
    throw explain(error, step.path)
  } finally {
    place.close()
  }
}

function refuseTwice<T extends { path: string; step: Step }>(all: readonly T[], error: (path: string) => ToolError) {
  const seen = new Set<string>()
  for (const { path, step } of all) {
    if (seen.has(path)) throw error(step.path)
    seen.add(path)
  }
}

function refuseWithinMoved(taken: readonly Taken[], puts: readonly Put[], makes: ReadonlyMap<string, unknown>) {
  const moved = puts.flatMap(({ path, from }) => (from?.stat.isDirectory() ? [path, from.path] : []))
  if (moved.length === 0) return
  for (const path of [...taken.map(one => one.path), ...puts.map(put => put.path), ...makes.keys()]) {
    if (!moved.some(folder => path.startsWith(`${folder}/`))) continue
    throw new ToolError('INVALID_PATH', `${quote(path)} is in a folder that is moved as a whole.`, { path })
  }
}

const inodeOf = ({ dev, ino }: Stat) => `${dev}:${ino}`

/** The path of a name in a folder; '' is the root. */
export const below = (folder: string, name: string) => (folder === '' ? name : `${folder}/${name}`)

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))

export const alreadyThere = (path: string) => new ToolError('FILE_EXISTS', `${quote(path)} exists already.`, { path })

const notAFolder = (path: string) =>
  new ToolError('NOT_A_DIRECTORY', `A part above ${quote(path)} is not a folder.`, { path })
