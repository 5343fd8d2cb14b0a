// Making the folders that a change needs, through descriptors, and taking them back when the change fails.
import { closeSync, constants, lstatSync, mkdirSync, openSync, rmdirSync } from 'node:fs'
import type { Change, Effects, Workspace } from '../host.ts'
import { fsync } from './atomic-write.ts'
import { errnoOf } from './errno.ts'
import { type Place, walkToEntry } from './paths.ts'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

/** Does what makes one change show, between the word that it will and the word that it has. */
type Happen = (change: Change, act: () => void) => void

/** The same place with every folder above it there. Adds the paths of those it makes to `made`; the caller closes it. */
export async function makeMissing(
  workspace: Workspace,
  effects: Effects,
  place: Place,
  { made, happen }: { made: string[]; happen: Happen }
): Promise<Place> {
  if (place.missing.length === 0) return { ...place, close: () => {} }
  await effects.committed()
  effects.signal.throwIfAborted()

  const { doors } = workspace
  const names = place.path.split('/')
  let depth = names.length - 1 - place.missing.length
  let { folder, prefix } = place
  const leave = () => folder !== place.folder && closeSync(folder)
  try {
    for (const name of place.missing) {
      const path = names.slice(0, ++depth).join('/')
      if (makeOne(prefix + name, path, happen)) made.push(path)
      await fsync(folder)
      const inside = openSync(prefix + name, FOLDER | doors.noLinks)
      leave()
      folder = inside
      doors.confirm(workspace, folder, path)
      prefix = doors.prefix(workspace, folder, path)
    }
  } catch (error) {
    leave()
    throw error
  }
  return { ...place, folder, prefix, door: prefix + names.at(-1)!, missing: [], close: () => closeSync(folder) }
}

/** Removes folders that were made for a change that did not happen, unless something is in them by now. */
export function unmake(workspace: Workspace, made: readonly string[], happen: Happen) {
  for (const path of made.toReversed()) {
    try {
      const place = walkToEntry(workspace, path)
      try {
        happen({ path, operation: 'deleted', kind: 'directory' }, () => rmdirSync(place.door))
      } finally {
        place.close()
      }
    } catch {
      return
    }
  }
}

export const folderMade = (path: string): Change => ({ path, operation: 'created', kind: 'directory' })

function makeOne(door: string, path: string, happen: Happen): boolean {
  if (lstatSync(door, { throwIfNoEntry: false })) return false
  try {
    happen(folderMade(path), () => mkdirSync(door))
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}
