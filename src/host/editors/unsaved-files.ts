// What editors hold of the files of one workspace, as one call meets it.
import { ToolError } from '../../errors.ts'
import { quote } from '../files/errno.ts'
import { HASH_LIMIT } from '../files/file-snapshot.ts'
import type { OpenFile } from '../files/open-file.ts'
import type { Place } from '../files/paths.ts'
import { type Editors, type Unsaved, unsavedOf } from './editor-bridge.ts'
import type { HeldBuffer } from './editor-buffers.ts'

export class HeldFiles {
  readonly #editors: Editors | undefined
  readonly #open: (place: Place) => OpenFile
  /** What was held of each path when the call was judged. */
  readonly #then = new Map<string, string | undefined>()

  constructor(editors: Editors | undefined, open: (place: Place) => OpenFile) {
    this.#editors = editors
    this.#open = open
  }

  /** Anything is held at all. */
  get any(): boolean {
    return this.#editors?.any ?? false
  }

  /** The call is judged on what is held now of that canonical path. */
  judged(path: string) {
    this.#then.set(path, this.#editors?.held(path)?.hash)
  }

  /** What is held at a place that is not on the disk. */
  at(place: Place): Unsaved | undefined {
    const buffer = this.#editors?.held(place.path)
    return buffer && unsavedOf(buffer, this.#onDisk(place))
  }

  /** What a change of the file there would replace in an editor, where changes go there. */
  replacedAt(place: Place): Unsaved | undefined {
    return this.#editors?.writes === 'editor' ? this.at(place) : undefined
  }

  /** What is held of the files beneath a folder. */
  beneath(path: string): HeldBuffer[] {
    return this.#editors?.beneath(path) ?? []
  }

  /** Refuses to change on the disk what an editor has taken up since the call was judged and, where changes go to
   * editors, anything that one holds. */
  refuseChange(place: Place) {
    const buffer = this.at(place)?.buffer
    if (!buffer) return
    const { path, client, hash } = buffer
    if (this.#then.has(path) && this.#then.get(path) !== hash)
      throw new ToolError('STALE_FILE', `${quote(path)} was edited in ${client} since the call was judged.`, {
        path,
        client
      })
    if (this.#editors?.writes === 'editor') throw onlyThere(buffer)
  }

  /** The same for what changes with a whole folder. */
  refuseChangeBeneath(folder: string) {
    const buffer = this.#editors?.writes === 'editor' ? this.beneath(folder)[0] : undefined
    if (buffer) throw onlyThere(buffer)
  }

  #onDisk(place: Place): Buffer | undefined {
    if (!place.stat?.isFile() || place.stat.size > HASH_LIMIT) return undefined
    const file = this.#open(place)
    try {
      return file.bytesSync()
    } finally {
      file.close()
    }
  }
}

const onlyThere = ({ path, client }: HeldBuffer) =>
  new ToolError(
    'DELEGATE_UNAVAILABLE',
    `${quote(path)} has unsaved changes in ${client}, which cannot make this change: save it there first.`,
    { path, client }
  )
