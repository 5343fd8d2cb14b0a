// From a plan to the motions that make it true: contents written where nobody sees them, what goes kept, and what will be
// told.
import type { BigIntStats } from 'node:fs'
import type { Change, Effects, Workspace } from '../../host.ts'
import type { Keeping } from '../../undo-store/undo-storage.ts'
import { allOf, type Bits, NEW_FILE_MODE } from '../atomic-write.ts'
import { type Content, fillingOf, linesAddedBy } from '../content-source.ts'
import { explain } from '../errno.ts'
import { stale } from '../file-reader.ts'
import { identityOf } from '../fingerprint.ts'
import type { OpenFile } from '../open-file.ts'
import { deviceAt, type Place, walkToEntry } from '../paths.ts'
import { type Gone, keepGone, lookAtGone, modeOf } from '../removed-entry.ts'
import type { Motion } from './file-operations.ts'
import { below, type Ground, type Plan, type Put, type Taken } from './plan.ts'
import type { HiddenFiles } from './staged-files.ts'

export interface Site extends Ground {
  workspace: Workspace
  effects: Effects
  keeping: Keeping
  openAt(place: Place, given: string): OpenFile
}

/** A motion, what it takes away must still be, and what is to be told of it. */
export interface Part {
  motion: Motion
  was?: BigIntStats
  change?: Change
}

/** A content that waits under a hidden name. */
interface Arrived {
  hidden: string
  is: string
  hash: string
  mode: string
}

/** So many contents are written and kept at once. */
const AT_ONCE = 16

export async function prepare(site: Site, { taken, puts, makes }: Plan, hidden: HiddenFiles): Promise<Part[]> {
  const gone = new Map<Taken | Put, Gone>()
  const arrived = new Map<Put, Arrived>()
  await allInTurns([
    ...taken.map(one => async () => void gone.set(one, await leave(site, one))),
    ...puts.filter(put => put.over).map(put => async () => void gone.set(put, await keepAt(site, put.path))),
    ...puts
      .filter(put => isWritten(site, put))
      .map(put => async () => void arrived.set(put, await arrive(site, put, hidden)))
  ])
  const fresh = (folder: string) => below(folder, site.keeping.log.name())
  const names = new Map(taken.map(one => [one, fresh(one.shelter)]))
  const isFolder = ({ step, stat }: Taken) => step.do === 'remove' && stat.isDirectory()
  return [
    ...taken.filter(one => !isFolder(one)).map(one => hide(one, names.get(one)!, gone.get(one)!)),
    ...taken
      .filter(isFolder)
      .sort(deepestFirst)
      .map(one => unmake(one, gone.get(one)!)),
    ...makes.map(([path, mode]) => make(path, mode)),
    ...puts.map(put =>
      put.step.do === 'link'
        ? link(put.path, put.step.target)
        : show(put, arrived.get(put), put.from && names.get(put.from), gone.get(put.from ?? put), fresh)
    )
  ]
}

const deepestFirst = (a: Taken, b: Taken) => (a.path < b.path ? 1 : -1)

function hide({ step, path, stat }: Taken, hidden: string, { told, lines, kept }: Gone): Part {
  const motion: Motion = { do: 'hide', path, hidden, kept }
  if (step.do === 'move') return { motion, was: stat }
  return {
    motion,
    was: stat,
    change: { path, operation: 'deleted', ...told, ...(lines !== undefined && { added: 0, removed: lines }) }
  }
}

function unmake({ path, stat }: Taken, { told }: Gone): Part {
  return { motion: { do: 'unmake', path, mode: Number(stat.mode) }, change: { path, operation: 'deleted', ...told } }
}

function make(path: string, mode: number | undefined): Part {
  const motion: Motion = { do: 'make', path, ...(mode !== undefined && { mode }) }
  return { motion, change: { path, operation: 'created', kind: 'directory' } }
}

const link = (path: string, target: string): Part => ({
  motion: { do: 'link', path, target },
  change: { path, operation: 'created', kind: 'symlink', target }
})

/** A file, or a folder that is moved, appears at its path. `gone` tells what it was, or what it replaces. */
function show(
  put: Put,
  arrived: Arrived | undefined,
  source: string | undefined,
  gone: Gone | undefined,
  fresh: (folder: string) => string
): Part {
  const { path, over, from } = put
  const before = gone?.told.before_hash
  const modes =
    arrived && gone && arrived.mode !== gone.told.before_mode
      ? { before_mode: gone.told.before_mode!, after_mode: arrived.mode }
      : {}
  const after = arrived ? { after_hash: arrived.hash } : before !== undefined ? { after_hash: before } : {}
  const lines = put.step.do === 'link' ? undefined : linesOf(put.step)
  const { hidden, is } = arrived ?? { hidden: source!, is: identityOf(from!.stat) }
  if (from) {
    const kind = from.stat.isDirectory() ? { kind: 'directory' as const } : {}
    const was = arrived && before !== undefined && before !== arrived.hash ? { from_hash: before } : {}
    const change: Change = { path, operation: 'moved', ...kind, from: from.path, ...after, ...was, ...modes, ...lines }
    return { motion: { do: 'show', path, hidden, is }, change }
  }
  if (!over)
    return { motion: { do: 'show', path, hidden, is }, change: { path, operation: 'created', ...after, ...lines } }
  const change: Change = {
    path,
    operation: 'modified',
    ...(before && { before_hash: before }),
    ...after,
    ...modes,
    ...lines
  }
  return {
    motion: { do: 'replace', path, hidden, is, second: fresh(put.shelter), kept: gone!.kept },
    was: over,
    change
  }
}

const linesOf = (step: Exclude<Put['step'], { do: 'link' }>) =>
  step.lines ? step.lines() : step.do === 'write' && !step.was ? linesAddedBy(step.content) : undefined

/** Looks at what leaves; what will not be anywhere else is kept. */
function leave(site: Site, taken: Taken): Promise<Gone> {
  const { step, path } = taken
  return step.do === 'move' && !step.content
    ? reach(site, path, place => lookAtGone(place, () => site.openAt(place, path), site.keeping.images))
    : keepAt(site, path)
}

const keepAt = (site: Site, path: string) =>
  reach(site, path, place => keepGone(place, () => site.openAt(place, path), site.keeping.images))

/** Whether a new content has to be written for it; a file that only moves takes its own along. */
function isWritten(site: Site, { step, from, shelter }: Put): boolean {
  if (step.do === 'link' || from?.stat.isDirectory()) return false
  if (step.do === 'write' || step.content) return true
  const sameMode = step.mode === undefined || (step.mode & 0o777) === (Number(from!.stat.mode) & 0o777)
  return !sameMode || deviceBelow(site, shelter) !== deviceBelow(site, from!.shelter)
}

/** The file system of what is put into a folder. */
function deviceBelow(site: Site, folder: string): bigint {
  const place = walkToEntry(site.workspace, below(folder, site.keeping.log.name()))
  try {
    return deviceAt(place)
  } finally {
    place.close()
  }
}

async function arrive(site: Site, { step, path, from, over, shelter }: Put, hidden: HiddenFiles): Promise<Arrived> {
  const exactly = step.do === 'link' ? undefined : step.mode
  const bits: Bits = { was: over ?? from?.stat, new: NEW_FILE_MODE, exactly }
  const given = step.do === 'link' ? undefined : step.content
  if (given) return written(given)
  return reach(site, from!.path, async place => {
    const file = site.openAt(place, from!.path)
    return written(file).finally(() => file.close())
  })

  async function written(content: Content): Promise<Arrived> {
    const filling = fillingOf(content)
    const { mode, ...there } = await hidden.write(shelter, filling.fill, bits).catch(error => {
      throw explain(error, path)
    })
    filling.meanwhile()
    const { hash } = filling.told()
    if (content instanceof Uint8Array)
      site.keeping.images.offer(Buffer.from(content.buffer, content.byteOffset, content.length), hash)
    return { ...there, hash, mode: modeOf(mode) }
  }
}

async function reach<T>(site: Site, path: string, work: (place: Place) => Promise<T>): Promise<T> {
  const place = site.walkToEntry(path)
  try {
    if (!place.stat) throw stale(path)
    return await work(place)
  } finally {
    place.close()
  }
}

/** Does all of it, so much at once. Fails only when all that has begun has ended. */
async function allInTurns(tasks: (() => Promise<void>)[]) {
  const waiting = tasks.values()
  const worker = async () => {
    for (const task of waiting) await task()
  }
  await allOf(...Array.from({ length: AT_ONCE }, worker))
}
