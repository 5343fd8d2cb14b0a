// Changing the files of one workspace, for one call. A change waits until the call's intent is durable, happens at once
// or not at all, and is told; what it takes away is kept. What all changes go through is in `file-changer.ts`, looking at
// files in `file-reader.ts`.
import { lstatSync, mkdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs'
import { ToolError } from '../errors.ts'
import { type Content, fillingOf, type LineChange, type LineChanges, linesAddedBy } from './content.ts'
import { changeInEditor } from './editors.ts'
import { quote } from './errno.ts'
import { FileChanger, protectedPath } from './file-changer.ts'
import { type Entry, Found, notAFile, notFound, stale, typeOf } from './file-reader.ts'
import { type Gone, keepGone, kept, lookAtGone } from './gone.ts'
import type { Change } from './host.ts'
import { moveExclusive } from './moving.ts'
import { OpenFile } from './open-file.ts'
import { deviceAt, type Place, walkToEntry } from './paths.ts'
import { allOf, fsync, NEW_FILE_MODE, put } from './put.ts'
import { isUnchanged, stampOf } from './stamp.ts'
import type { Step } from './steps.ts'
import { together } from './together.ts'
import { alreadyThere } from './together-plan.ts'

export type { Content, LineChange, LineChanges } from './content.ts'
export { hashOf } from './content.ts'
export { type Entry, Found, HASH_LIMIT } from './file-reader.ts'
export { OpenFile } from './open-file.ts'
export type { Step } from './steps.ts'

export interface Written {
  path: string
  size: number
  hash: string
}

/** Part of a tree. */
export type Branch = Pick<Entry, 'path' | 'type'>

/** Of a tree that is removed, so much is kept at once before it goes. */
const BATCH = 16

export class Files extends FileChanger {
  /** The content kept under a hash: of what calls replaced or removed, and of texts that they left. */
  image(hash: string): Buffer | undefined {
    return this.keeping.images.read(hash)
  }

  /** Makes all of the steps, or none, also over a kill. They are seen against the tree as it is before any of them: what
   * one takes away makes room for what another puts. */
  together(steps: readonly Step[]): Promise<void> {
    const { workspace, effects, keeping } = this
    const allowed = (given: string, place: Place) => {
      try {
        this.refuseChange(place, given)
        this.held.refuseChange(place)
        if (place.stat?.isDirectory()) this.held.refuseChangeBeneath(place.path)
        return place
      } catch (error) {
        place.close()
        throw error
      }
    }
    return together(
      {
        workspace,
        effects,
        keeping,
        walk: path => allowed(path, this.walk(path)),
        walkToEntry: path => allowed(path, this.walkToEntry(path)),
        refuseNew: (path, given) => this.refuseNew(path, given),
        openAt: (place, given) => this.openAt(place, given)
      },
      steps
    )
  }

  /** Creates a file, and the folders it needs, where nothing is. Never overwrites. */
  async create(path: string, content: Content, lines: LineChanges = () => linesAddedBy(content)): Promise<Written> {
    return this.changing(path, this.walk(path), async (place, made) => {
      if (place.stat) throw alreadyThere(path)
      const reached = await this.makeMissing(place, made)
      try {
        return await this.#put(reached, content, undefined, made, lines)
      } finally {
        reached.close()
      }
    })
  }

  /** Replaces a file's content, keeping its permissions, while it still is what was found. */
  async replace(path: string, was: Found, content: Content, lines: LineChanges = () => undefined): Promise<Written> {
    return this.changing(path, this.walk(path), place => {
      if (this.judged.get(path)?.kind === 'missing') throw alreadyThere(path)
      if (place.stat && !place.stat.isFile()) throw notAFile(path, place.stat)
      if (was.unsaved) return changeInEditor(this.effects, was.unsaved, content)
      if (!place.stat || place.path !== was.path || stampOf(place.stat) !== stampOf(was.stat)) throw stale(path)
      return this.#put(place, content, was, [], lines)
    })
  }

  /** Makes a folder in one that exists. Gives what was made: nothing where the folder is there already. */
  async makeDirectory(path: string): Promise<string[]> {
    return this.#makeDirectory(path, ({ missing }) => {
      if (missing.length === 0) return
      throw new ToolError('FILE_NOT_FOUND', `The folder above ${quote(path)} does not exist.`, { path })
    })
  }

  /** Makes a folder and all that are missing above it. */
  async makeDirectories(path: string): Promise<string[]> {
    return this.#makeDirectory(path, () => {})
  }

  /** Removes a file, a link (not what it leads to), or an empty folder. Gives its path. */
  async remove(path: string): Promise<string> {
    return this.changing(path, this.walkToEntry(path), async place => {
      const [gone] = await allOf(this.#keep(place, path), this.effects.committed())
      this.effects.signal.throwIfAborted()
      this.#unlink(place, gone)
      await fsync(place.folder)
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
      const inner = branches.slice(1).map(branch => branch.path)
      while (inner.length > 0) {
        await this.#removeAll(inner.splice(-BATCH).reverse(), removed)
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
    const branches: Branch[] = [{ path: place.path, type: typeOf(place.stat) }]
    for (const { path, type } of branches) {
      if (type !== 'directory') continue
      for (const entry of this.entries(path)) {
        if (entry.closed) throw protectedPath(entry.path)
        branches.push({ path: entry.path, type: entry.type })
      }
      await this.breathe()
    }
    return branches
  }

  /** Moves a file, a link or a folder to where nothing is, making the folders it needs. Never overwrites. */
  async move(from: string, to: string): Promise<{ from: string; to: string }> {
    return this.#move(from, to, (source, target) => {
      if (target.stat) throw alreadyThere(to)
      return () => moveExclusive(source.stat!, source.door, target.door)
    })
  }

  /** Moves a file over another. Folders are never replaced. */
  async moveOver(from: string, to: string): Promise<{ from: string; to: string }> {
    return this.#move(from, to, (source, target) => {
      if (target.stat?.isDirectory()) throw notAFile(to, target.stat)
      if (target.stat && source.stat!.isDirectory()) throw notAFile(from, source.stat!)
      return () => renameSync(source.door, target.door)
    })
  }

  async #move(from: string, to: string, checked: (source: Place, target: Place) => () => void) {
    return this.changing(from, this.walkToEntry(from), source =>
      this.changing(to, this.walkToEntry(to), async (place, made) => {
        if (!source.stat) throw notFound(from)
        if (`${place.path}/`.startsWith(`${source.path}/`)) {
          throw new ToolError('INVALID_PATH', `${quote(from)} cannot be moved into itself.`, { from, to })
        }
        for (const each of [source, place]) this.held.refuseChange(each)
        this.held.refuseChangeBeneath(source.path)
        checked(source, place)
        const paths = { from: source.path, to: place.path }
        if (source.stat.isFile() && deviceAt(source) !== deviceAt(place)) {
          await this.#moveAcross(source, place)
          return paths
        }
        const [moved, replaced] = await allOf(this.#lookAt(source, from), place.stat && this.#keep(place, to))
        const target = await this.makeMissing(place, made)
        try {
          await this.permitted()
          const rename = checked(source, target)
          this.happen([...foldersMade(made), ...changesOfMove(paths, moved, replaced)], rename)
          await allOf(fsync(source.folder), fsync(target.folder))
          return paths
        } finally {
          target.close()
        }
      })
    )
  }

  /** To another file system inside the workspace: as a copy, and without the original. */
  #moveAcross({ path, stat }: Place, target: Place): Promise<void> {
    const was = new Found({ path, stat: stat!, size: Number(stat!.size) }, undefined)
    const move: Step = { do: 'move', path, to: target.path, was }
    return this.together(target.stat ? [{ do: 'remove', path: target.path }, move] : [move])
  }

  async #makeDirectory(path: string, check: (place: Place) => void) {
    return this.changing(path, this.walk(path), async (place, made) => {
      if (place.stat?.isDirectory()) return []
      if (place.stat) throw alreadyThere(path)
      check(place)
      const reached = await this.makeMissing(place, made)
      try {
        await this.permitted()
        const all = [...made, reached.path]
        this.happen(foldersMade(all), () => mkdirSync(reached.door))
        await fsync(reached.folder)
        return all
      } finally {
        reached.close()
      }
    })
  }

  async #put(
    place: Place,
    content: Content,
    was: Found | undefined,
    made: string[],
    lines: LineChanges
  ): Promise<Written> {
    this.held.refuseChange(place)
    const { workspace, effects, keeping } = this
    const { images } = keeping
    const filling = fillingOf(content)
    const mode = content instanceof OpenFile ? Number(content.stat.mode) & 0o777 : NEW_FILE_MODE
    let counted: LineChange | undefined
    let before: string | undefined
    const told = () => ({ path: place.path, ...filling.told() })
    await put(
      place,
      filling.fill,
      { was: was?.stat, new: mode },
      {
        workspace,
        effects,
        keeping,
        alongside: async () => {
          if (was) before = (await this.#keepReplaced(place, was)) ?? was.hash
        },
        meanwhile: () => {
          filling.meanwhile()
          counted = lines()
          if (Buffer.isBuffer(content)) images.offer(content, told().hash)
        },
        changes: () => [
          ...foldersMade(made),
          {
            path: place.path,
            operation: was ? 'modified' : 'created',
            ...(before !== undefined && { before_hash: before }),
            after_hash: told().hash,
            ...counted
          }
        ]
      }
    )
    return told()
  }

  async #keepReplaced(place: Place, { bytes }: Found): Promise<string | undefined> {
    if (bytes) return kept(this.keeping.images, bytes)
    const file = this.openAt(place, place.path)
    return kept(this.keeping.images, file).finally(() => file.close())
  }

  #keep(place: Place, given: string): Promise<Gone> {
    if (!place.stat) throw notFound(given)
    this.held.refuseChange(place)
    return keepGone(place, () => this.openAt(place, given), this.keeping.images)
  }

  #lookAt(place: Place, given: string): Promise<Gone> {
    return lookAtGone(place, () => this.openAt(place, given), this.keeping.images)
  }

  /** Removes these, in order, once all are kept. */
  async #removeAll(paths: readonly string[], removed: string[]) {
    const at = <T>(path: string, work: (place: Place) => Promise<T>) =>
      this.changing(path, walkToEntry(this.workspace, path), work)
    const going = await allOf(
      ...paths.map(path => at(path, async place => ({ path, stat: place.stat, gone: await this.#keep(place, path) })))
    )
    for (const { path, stat, gone } of going) {
      await at(path, async place => this.#unlink({ ...place, stat }, gone))
      removed.push(path)
    }
  }

  /** Removes what has been kept, while it still is that. */
  #unlink({ path, stat, door }: Place, { told, lines }: Gone) {
    const change: Change = { path, operation: 'deleted', ...told }
    if (lines !== undefined) Object.assign(change, { added: 0, removed: lines })
    this.happen([change], () => {
      if (stat!.isDirectory()) return rmdirSync(door)
      const now = lstatSync(door, { bigint: true, throwIfNoEntry: false })
      if (!now) throw notFound(path)
      if (!isUnchanged(stat!, now)) throw stale(path)
      unlinkSync(door)
    })
  }
}

/** They stay once what they were made for is there. */
const foldersMade = (paths: readonly string[]) =>
  paths.map((path): Change => ({ path, operation: 'created', kind: 'directory' }))

/** A link that is moved over is told to be gone: what is told of a move is about a file. */
function changesOfMove({ from, to }: { from: string; to: string }, moved: Gone, replaced: Gone | undefined): Change[] {
  const { before_hash: after_hash, before_mode: _, ...kind } = moved.told
  const change: Change = {
    path: to,
    operation: 'moved',
    ...kind,
    from,
    ...(after_hash !== undefined && { after_hash })
  }
  if (!replaced) return [change]
  if (replaced.told.kind) return [{ path: to, operation: 'deleted', ...replaced.told }, change]
  return [{ ...change, ...replaced.told }]
}
