// What every change of files goes through: what is protected is refused, nothing shows before the call's intent is
// durable, what shows is written down and told, and what fails leaves nothing behind.
import { setImmediate } from 'node:timers/promises'
import { ToolError } from '../../errors.ts'
import type { Change, Effects, Workspace } from '../host.ts'
import { type Keeping, keepingIn } from '../undo-store/undo-storage.ts'
import { allOf, fsync } from './atomic-write.ts'
import { explain, quote } from './errno.ts'
import { FileReader, notFound, stale } from './file-reader.ts'
import { folderMade, makeMissing, unmake } from './missing-folders.ts'
import { type Place, walkToEntry } from './paths.ts'
import { type Guard, judge } from './policy/path-policy.ts'
import { type Gone, keepGone, lookAtGone } from './removed-entry.ts'

/** What makes changes show. */
interface Happening {
  changes: Change[]
  /** Folders made for them, which stay with them. */
  made?: readonly string[]
  act(): void
  /** Makes that undone. */
  back(): void
  /** Descriptors of the folders in which names change. */
  folders: readonly number[]
}

export class FileChanger extends FileReader {
  protected readonly keeping: Keeping

  constructor(workspace: Workspace, guard: Guard, effects: Effects, keeping: Keeping = keepingIn(guard.stateDir)) {
    super(workspace, guard, effects)
    this.keeping = keeping
  }

  /** Runs a change at a place: refuses what is protected, explains what fails, and takes back the folders made for nothing. */
  protected async changing<T>(
    path: string,
    place: Place,
    change: (place: Place, made: string[]) => Promise<T>
  ): Promise<T> {
    const made: string[] = []
    try {
      this.refuseChange(place, path)
      if (place.blocked)
        throw new ToolError('NOT_A_DIRECTORY', `A part above ${quote(path)} is not a folder.`, { path })
      const result = await change(place, made)
      this.judged.delete(path)
      return result
    } catch (error) {
      unmake(this.workspace, made, this.#writeFolder)
      throw explain(error, path)
    } finally {
      place.close()
    }
  }

  /** Walks to the entry that a path names, be it a link, and holds it to what was judged. */
  protected walkToEntry(path: string): Place {
    if (this.isJudgedAsEntry(path)) return this.asJudged(path, walkToEntry(this.workspace, path))
    this.walk(path).close()
    const entry = walkToEntry(this.workspace, path)
    return entry.stat?.isSymbolicLink() ? entry : this.asJudged(path, entry)
  }

  protected refuseChange(place: Place, given: string) {
    if (place.path === '.')
      throw new ToolError('PERMISSION_DENIED', 'The root of the workspace itself is never changed.')
    this.refuseServerState(place, given)
    if (judge(this.workspace, this.guard, place).protected !== undefined) throw protectedPath(given)
  }

  /** Refuses a path that leads elsewhere now than it will, where what is there then is guarded otherwise. */
  protected refuseNew(path: string, given: string) {
    const then = judge(this.workspace, this.guard, { path, stat: undefined })
    if (then.protected !== undefined) throw protectedPath(given)
    const judged = this.judged.get(given)
    if (judged && judged.path !== path && (then.sensitive || then.self_starting)) throw stale(given)
  }

  /** Makes what is missing above a place. The caller closes what this gives. */
  protected makeMissing(place: Place, made: string[]): Promise<Place> {
    return makeMissing(this.workspace, this.effects, place, { made, happen: this.#writeFolder })
  }

  /** The last gate before something shows. */
  protected async permitted() {
    await this.effects.committed()
    this.effects.signal.throwIfAborted()
  }

  /** Does what makes changes show and, once that is durable, tells them. Where the disk fails, they are taken back. */
  protected async happen({ changes, made = [], act, back, folders }: Happening) {
    const number = this.#write(changes, act)
    try {
      await allOf(...folders.map(folder => fsync(folder)))
    } catch (error) {
      if (hasWorked(back)) this.keeping.log.never(number)
      else this.tell([...made.map(folderMade), ...changes])
      throw error
    }
    this.tell([...made.map(folderMade), ...changes])
  }

  /** The same for changes that are made durable later, or that nothing depends on. */
  protected happenSoon(changes: Change[], act: () => void) {
    this.#write(changes, act)
    this.tell(changes)
  }

  protected tell(changes: readonly Change[]) {
    for (const change of changes) this.effects.changed(change)
  }

  #write(changes: Change[], act: () => void): number {
    const { log, call } = this.keeping
    return log.happen({ call, root: this.workspace.root, changes }, act)
  }

  readonly #writeFolder = (change: Change, act: () => void) => {
    this.#write([change], act)
  }

  /** Keeps what is about to go from a place. */
  protected keep(place: Place, given: string): Promise<Gone> {
    if (!place.stat) throw notFound(given)
    this.held.refuseChange(place)
    return keepGone(place, () => this.openAt(place, given), this.keeping.images)
  }

  /** Looks at what is about to move from a place. */
  protected lookAt(place: Place, given: string): Promise<Gone> {
    return lookAtGone(place, () => this.openAt(place, given), this.keeping.images)
  }

  /** Lets others have their turn. */
  protected async breathe() {
    await setImmediate()
    this.effects.signal.throwIfAborted()
  }
}

function hasWorked(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

export const protectedPath = (path: string) =>
  new ToolError('PERMISSION_DENIED', `${quote(path)} is protected: no call may change it.`, { path })
