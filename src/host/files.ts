// Changing the files of one workspace, for one call. A change waits until the call's intent is durable, happens at once
// or not at all, and is told. Looking at files is in `file-reader.ts`.
import { mkdirSync, readlinkSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { ToolError } from '../errors.ts'
import {
  type Content,
  fillingOf,
  hashOf,
  type LineChange,
  type LineChanges,
  lineCount,
  linesAddedBy
} from './content.ts'
import { changeInEditor } from './editors.ts'
import { explain, quote } from './errno.ts'
import { type Entry, FileReader, type Found, HASH_LIMIT, notAFile, notFound, stale, typeOf } from './file-reader.ts'
import { makeMissing, unmake } from './folders.ts'
import type { Change } from './host.ts'
import { OpenFile } from './open-file.ts'
import { judge, type Place, walkToEntry } from './paths.ts'
import { fsync, put, renameExclusive } from './put.ts'
import { stampOf } from './stamp.ts'
import { tempsOf } from './temps.ts'

export type { Content, LineChange, LineChanges } from './content.ts'
export { hashOf } from './content.ts'
export { type Entry, Found, HASH_LIMIT } from './file-reader.ts'
export { OpenFile } from './open-file.ts'
export { sweepTemps } from './temps.ts'

export interface Written {
  path: string
  size: number
  hash: string
}

/** Part of a tree. */
export type Branch = Pick<Entry, 'path' | 'type'>

const NEW_FILE_MODE = 0o666

export class Files extends FileReader {
  /** Creates a file, and the folders it needs, where nothing is. Never overwrites. */
  async create(path: string, content: Content, lines: LineChanges = () => linesAddedBy(content)): Promise<Written> {
    return this.#changing(path, this.walk(path), async (place, made) => {
      if (place.stat) throw alreadyThere(path)
      const reached = await makeMissing(this.workspace, this.effects, place, made)
      try {
        const mode = content instanceof OpenFile ? Number(content.stat.mode) : NEW_FILE_MODE
        return await this.#put(reached, content, undefined, mode, made, lines)
      } finally {
        reached.close()
      }
    })
  }

  /** Replaces a file's content, keeping its permissions, while it still is what was found. */
  async replace(path: string, was: Found, content: Content, lines: LineChanges = () => undefined): Promise<Written> {
    return this.#changing(path, this.walk(path), place => {
      if (this.judged.get(path)?.kind === 'missing') throw alreadyThere(path)
      if (place.stat && !place.stat.isFile()) throw notAFile(path, place.stat)
      if (was.unsaved) return changeInEditor(this.effects, was.unsaved, content)
      if (!place.stat || place.path !== was.path || stampOf(place.stat) !== stampOf(was.stat)) throw stale(path)
      return this.#put(place, content, was, Number(was.stat.mode), [], lines)
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
    return this.#changing(path, this.#walkToEntry(path), async place => {
      await this.#permitted()
      this.#unlink(place, path)
      await fsync(place.folder)
      return place.path
    })
  }

  /** Removes a folder and all it holds, refusing before anything goes if some of it is protected. Gives every path. */
  async removeTree(path: string): Promise<string[]> {
    const branches = await this.tree(path)
    this.held.refuseChangeBeneath(branches[0]!.path)
    await this.#permitted()
    const removed: string[] = []
    try {
      for (const { path: inner } of branches.slice(1).toReversed()) {
        await this.#changing(inner, walkToEntry(this.workspace, inner), async place => this.#unlink(place, inner))
        removed.push(inner)
        if (removed.length % 64 === 0) await this.#breathe()
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
    const place = this.#walkToEntry(path)
    place.close()
    if (!place.stat) throw notFound(path)
    this.#refuseChange(place, path)
    const branches: Branch[] = [{ path: place.path, type: typeOf(place.stat) }]
    for (const { path, type } of branches) {
      if (type !== 'directory') continue
      for (const entry of this.entries(path)) {
        if (entry.closed) throw protectedPath(entry.path)
        branches.push({ path: entry.path, type: entry.type })
      }
      await this.#breathe()
    }
    return branches
  }

  /** Moves a file, a link or a folder to where nothing is, making the folders it needs. Never overwrites. */
  async move(from: string, to: string): Promise<{ from: string; to: string }> {
    return this.#move(from, to, (source, target) => {
      if (target.stat) throw alreadyThere(to)
      if (source.stat!.isDirectory()) renameFolder(source.door, target.door)
      else if (source.stat!.isSymbolicLink()) {
        symlinkSync(readlinkSync(source.door), target.door)
        unlinkSync(source.door)
      } else renameExclusive(source.door, target.door)
    })
  }

  /** Moves a file over another. Folders are never replaced. */
  async moveOver(from: string, to: string): Promise<{ from: string; to: string }> {
    return this.#move(from, to, (source, target) => {
      if (target.stat?.isDirectory()) throw notAFile(to, target.stat)
      if (target.stat && source.stat!.isDirectory()) throw notAFile(from, source.stat!)
      renameSync(source.door, target.door)
    })
  }

  async #move(from: string, to: string, rename: (source: Place, target: Place) => void) {
    return this.#changing(from, this.#walkToEntry(from), source =>
      this.#changing(to, this.#walkToEntry(to), async (place, made) => {
        if (!source.stat) throw notFound(from)
        if (`${place.path}/`.startsWith(`${source.path}/`)) {
          throw new ToolError('INVALID_PATH', `${quote(from)} cannot be moved into itself.`, { from, to })
        }
        for (const each of [source, place]) this.held.refuseChange(each)
        this.held.refuseChangeBeneath(source.path)
        const moved = this.#lookAt(source, from).hash
        const replaced = place.stat && this.#lookAt(place, to).hash
        const target = await makeMissing(this.workspace, this.effects, place, made)
        try {
          await this.#permitted()
          rename(source, target)
          this.#tellMade(made)
          const hashes = { ...(replaced && { before_hash: replaced }), ...(moved && { after_hash: moved }) }
          this.effects.changed({ path: target.path, operation: 'moved', from: source.path, ...hashes })
          await Promise.all([fsync(source.folder), fsync(target.folder)])
          return { from: source.path, to: target.path }
        } finally {
          target.close()
        }
      })
    )
  }

  async #makeDirectory(path: string, check: (place: Place) => void) {
    return this.#changing(path, this.walk(path), async (place, made) => {
      if (place.stat?.isDirectory()) return []
      if (place.stat) throw alreadyThere(path)
      check(place)
      const reached = await makeMissing(this.workspace, this.effects, place, made)
      try {
        await this.#permitted()
        mkdirSync(reached.door)
        made.push(reached.path)
        const all = [...made]
        this.#tellMade(made)
        await fsync(reached.folder)
        return all
      } finally {
        reached.close()
      }
    })
  }

  /** Runs a change: refuses what is protected, explains what fails, and takes back the folders made for nothing. */
  async #changing<T>(path: string, place: Place, change: (place: Place, made: string[]) => Promise<T>): Promise<T> {
    const made: string[] = []
    try {
      this.#refuseChange(place, path)
      if (place.blocked)
        throw new ToolError('NOT_A_DIRECTORY', `A part above ${quote(path)} is not a folder.`, { path })
      const result = await change(place, made)
      this.judged.delete(path)
      return result
    } catch (error) {
      unmake(this.workspace, made)
      throw explain(error, path)
    } finally {
      place.close()
    }
  }

  async #put(
    place: Place,
    content: Content,
    was: Found | undefined,
    mode: number,
    made: string[],
    lines: LineChanges
  ): Promise<Written> {
    this.held.refuseChange(place)
    const filling = fillingOf(content)
    const { workspace, effects } = this
    let written: Written | undefined
    let counted: LineChange | undefined
    let before: string | undefined
    await put(place, filling.fill, was?.stat, mode, {
      workspace,
      effects,
      temps: tempsOf(this.guard.stateDir),
      meanwhile: () => {
        filling.meanwhile()
        counted = lines()
        before = was?.hash
      },
      visible: () => {
        written = { path: place.path, ...filling.told() }
        this.#tellMade(made)
        effects.changed({
          path: place.path,
          operation: was ? 'modified' : 'created',
          ...(before && { before_hash: before }),
          after_hash: written.hash,
          ...counted
        })
      }
    })
    return written!
  }

  #unlink(place: Place, given: string) {
    if (!place.stat) throw notFound(given)
    this.held.refuseChange(place)
    const { hash, lines } = this.#lookAt(place, given)
    if (place.stat.isDirectory()) rmdirSync(place.door)
    else unlinkSync(place.door)
    const change: Change = { path: place.path, operation: 'deleted' }
    if (hash) change.before_hash = hash
    if (lines !== undefined) Object.assign(change, { added: 0, removed: lines })
    this.effects.changed(change)
  }

  /** The last gate before something shows. */
  async #permitted() {
    await this.effects.committed()
    this.effects.signal.throwIfAborted()
  }

  async #breathe() {
    await setImmediate()
    this.effects.signal.throwIfAborted()
  }

  /** Tells of folders made, which from then on stay. */
  #tellMade(made: string[]) {
    for (const path of made.splice(0)) this.effects.changed({ path, operation: 'created' })
  }

  #walkToEntry(path: string): Place {
    this.walk(path).close()
    const entry = walkToEntry(this.workspace, path)
    return entry.stat?.isSymbolicLink() ? entry : this.asJudged(path, entry)
  }

  #refuseChange(place: Place, given: string) {
    if (place.path === '.')
      throw new ToolError('PERMISSION_DENIED', 'The root of the workspace itself is never changed.')
    this.refuseServerState(place, given)
    if (judge(this.workspace, this.guard, place).protected !== undefined) throw protectedPath(given)
  }

  /** Hash and lines of what is about to go, where it is a file that may be read and is not too large. */
  #lookAt(place: Place, given: string): { hash?: string; lines?: number | undefined } {
    if (!place.stat?.isFile() || place.stat.size > HASH_LIMIT) return {}
    try {
      const file = this.openAt(place, given)
      try {
        const bytes = file.bytesSync()
        return { hash: hashOf(bytes), lines: lineCount(bytes) }
      } finally {
        file.close()
      }
    } catch (error) {
      if (error instanceof ToolError && error.code === 'PERMISSION_DENIED') return {}
      throw error
    }
  }
}

// A rename onto an empty folder is the exclusive step for folders: nobody else can have made this one.
function renameFolder(from: string, to: string) {
  mkdirSync(to)
  try {
    renameSync(from, to)
  } catch (error) {
    rmdirSync(to)
    throw error
  }
}

const alreadyThere = (path: string) => new ToolError('FILE_EXISTS', `${quote(path)} exists already.`, { path })

const protectedPath = (path: string) =>
  new ToolError('PERMISSION_DENIED', `${quote(path)} is protected: no call may change it.`, { path })
