// Changing the files of one workspace, for one call. A change waits until the call's intent is durable, happens at once
// or not at all, and is told; what it takes away is kept. What all changes go through is in `file-changer.ts`, looking at
// files in `file-reader.ts`.
import { mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import { changeInEditor } from '../editors/editor-bridge.ts'
import type { Change } from '../host.ts'
import type { KeptContent } from '../undo-store/stored-blob.ts'
import { allOf, NEW_FILE_MODE, put } from './atomic-write.ts'
import { type Content, fillingOf, type LineChange, type LineChanges, linesAddedBy } from './content-source.ts'
import { quote } from './errno.ts'
import { moveExclusive } from './exclusive-rename.ts'
import { notAFile, notFound, stale } from './file-reader.ts'
import { FileRemover } from './file-remover.ts'
import { Found } from './file-snapshot.ts'
import { isFresh, stampOf } from './fingerprint.ts'
import { folderMade } from './missing-folders.ts'
import { OpenFile } from './open-file.ts'
import { deviceAt, type Place, walkToEntry } from './paths.ts'
import { AllowedChanges } from './policy/allowed-changes.ts'
import { bringBack, type Gone, kept } from './removed-entry.ts'
import { alreadyThere } from './transaction/plan.ts'
import { together } from './transaction/transaction.ts'
import type { Step } from './transaction/transaction-step.ts'

export type { KeptContent } from '../undo-store/stored-blob.ts'
export type { Content, LineChange, LineChanges } from './content-source.ts'
export { hashOf } from './content-source.ts'
export type { Branch } from './file-remover.ts'
export { type Entry, Found, HASH_LIMIT } from './file-snapshot.ts'
export { OpenFile } from './open-file.ts'
export type { Step } from './transaction/transaction-step.ts'

export interface Written {
  path: string
  size: number
  hash: string
}

export class Files extends FileRemover {
  readonly allowed = new AllowedChanges()

  /** What is kept under a hash, not read yet: of what calls replaced or removed, and of texts that they left. */
  image(hash: string): KeptContent | undefined {
    return this.keeping.images.find(hash)
  }

  /** What shows that the entry at a canonical path is the same, without a look at its content; undefined where a further
   * change might not show. */
  stampAt(path: string): string | undefined {
    if (this.held.any) return undefined
    const place = walkToEntry(this.workspace, path)
    place.close()
    if (!place.stat) return `absent at ${place.path}`
    return isFresh(place.stat) ? undefined : `${place.path} ${stampOf(place.stat)}`
  }

  /** Whether what a change takes away is kept, by its size. */
  keeps(size: number): boolean {
    return this.keeping.images.fits(size)
  }

  /** Makes all of the steps, or none, also over a kill. They are seen against the tree as it is before any of them: what
   * one takes away makes room for what another puts. What the call was not judged on is refused. */
  together(steps: readonly Step[]): Promise<void> {
    const { workspace, effects, keeping } = this
    const folders = new Set(steps.flatMap(step => (step.do === 'folder' ? [step.path] : [])))
    const refuseUnjudged = (path: string, given: string) => {
      const isAllowed = folders.has(given) ? this.allowed.hasFolder(path, given) : this.allowed.has(path, given)
      if (!isAllowed) throw stale(given)
    }
    const allowed = (given: string, place: Place) => {
      try {
        refuseUnjudged(place.path, given)
        this.refuseChange(place, given)
        this.held.refuseChange(place)
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
        refuseMove: folder => this.held.refuseChangeBeneath(folder),
        refuseNew: (path, given) => {
          refuseUnjudged(path, given)
          this.refuseNew(path, given)
        },
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
        const [moved, replaced] = await allOf(this.lookAt(source, from), place.stat && this.keep(place, to))
        const target = await this.makeMissing(place, made)
        try {
          await this.permitted()
          const rename = checked(source, target)
          await this.happen({
            changes: changesOfMove(paths, moved, replaced),
            made,
            act: rename,
            back: () => {
              moveExclusive(source.stat!, target.door, source.door)
              if (replaced) bringBack(target.door, replaced, this.keeping.images)
            },
            folders: [source.folder, target.folder]
          })
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
        await this.happen({
          changes: [folderMade(reached.path)],
          made,
          act: () => mkdirSync(reached.door),
          back: () => rmdirSync(reached.door),
          folders: [reached.folder]
        })
        return [...made, reached.path]
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
        change: () => ({
          path: place.path,
          operation: was ? 'modified' : 'created',
          ...(before !== undefined && { before_hash: before }),
          after_hash: told().hash,
          ...counted
        }),
        former: () => was?.bytes ?? (before === undefined ? undefined : images.read(before)),
        visible: change => this.tell([...made.map(folderMade), change])
      }
    )
    return told()
  }

  async #keepReplaced(place: Place, { bytes }: Found): Promise<string | undefined> {
    if (bytes) return kept(this.keeping.images, bytes)
    const file = this.openAt(place, place.path)
    return kept(this.keeping.images, file).finally(() => file.close())
  }
}

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
