// Removing what is in a workspace, for one call, once its content is kept.
import { lstatSync, rmdirSync, unlinkSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import type { Change } from '../host.ts'
import { allOf } from './atomic-write.ts'
import { FileChanger, protectedPath } from './file-changer.ts'
import { notFound, stale } from './file-reader.ts'
import { type Entry, typeOf } from './file-snapshot.ts'
import { isUnchanged } from './fingerprint.ts'
import { type Place, walkToEntry } from './paths.ts'
import { bringBack, type Gone } from './removed-entry.ts'

/** Part of a tree. */
export type Branch = Pick<Entry, 'path' | 'type' | 'size'>

/** Of a tree that is removed, so much is kept at once before it goes. */
const BATCH = 32
const BATCH_BYTES = 32 * 1024 * 1024

export class FileRemover extends FileChanger {
  /** Removes a file, a link (not what it leads to), or an empty folder. Gives its path. */
  async remove(path: string): Promise<string> {
    return this.changing(path, this.walkToEntry(path), async place => {
      const [gone] = await allOf(this.keep(place, path), this.effects.committed())
      this.effects.signal.throwIfAborted()
      const { door, folder } = place
      const { images } = this.keeping
      await this.happen({
        changes: [changeOf(place, gone)],
        act: () => unlink(place),
        back: () => bringBack(door, gone, images),
        folders: [folder]
      })
      return place.path
    })
  }

  /** Removes a folder and all it holds, refusing before anything goes if some of it is protected. Gives every path. */
  async removeTree(path: string): Promise<string[]> {
    const branches = await this.tree(path)
    this.held.refuseChangeBeneath(branches[0]!.path)
    await this.permitted()
    const removed: string[] = []
    try {
      for (const batch of batchesOf(branches.slice(1).reverse())) {
        await this.#removeAll(batch, removed)
        await this.breathe()
      }
      removed.push(await this.remove(path))
    } catch (error) {
      if (!(error instanceof ToolError) || removed.length === 0) throw error
      throw new ToolError(error.code, `${error.message} Deleted before that: ${removed.length}.`, {
        ...error.details,
        deleted: removed
      })
    }
    return removed.reverse()
  }

  /** A path and everything beneath it, folders before what they hold; links are not followed. */
  async tree(path: string): Promise<Branch[]> {
    const place = this.walkToEntry(path)
    place.close()
    if (!place.stat) throw notFound(path)
    this.refuseChange(place, path)
    const branches: Branch[] = [{ path: place.path, type: typeOf(place.stat), size: Number(place.stat.size) }]
    for (const { path, type } of branches) {
      if (type !== 'directory') continue
      for (const entry of this.entries(path)) {
        if (entry.closed) throw protectedPath(entry.path)
        branches.push({ path: entry.path, type: entry.type, size: entry.size })
      }
      await this.breathe()
    }
    return branches
  }

  /** Removes these, in order, once all are kept. */
  async #removeAll(paths: readonly string[], removed: string[]) {
    const at = <T>(path: string, work: (place: Place) => Promise<T>) =>
      this.changing(path, walkToEntry(this.workspace, path), work)
    const going = await allOf(
      ...paths.map(path => at(path, async place => ({ path, stat: place.stat, gone: await this.keep(place, path) })))
    )
    for (const { path, stat, gone } of going) {
      await at(path, async place => this.happenSoon([changeOf(place, gone)], () => unlink({ ...place, stat })))
      removed.push(path)
    }
  }
}

function* batchesOf(branches: readonly Branch[]): Generator<string[]> {
  let batch: string[] = []
  let bytes = 0
  for (const { path, type, size } of branches) {
    batch.push(path)
    bytes += type === 'file' ? size : 0
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  yield batch
}

const changeOf = ({ path }: Place, { told, lines }: Gone): Change => ({
  path,
  operation: 'deleted',
  ...told,
  ...(lines !== undefined && { added: 0, removed: lines })
})

/** Removes what has been kept, while it still is that. */
function unlink({ path, stat, door }: Place) {
  if (stat!.isDirectory()) return rmdirSync(door)
  const now = lstatSync(door, { bigint: true, throwIfNoEntry: false })
  if (!now) throw notFound(path)
  if (!isUnchanged(stat!, now)) throw stale(path)
  unlinkSync(door)
}
