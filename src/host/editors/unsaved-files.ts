// What editors hold of the files of one workspace, as one call meets it.
import { ToolError } from '../../errors.ts'
import { quotePath } from '../files/errno.ts'
import { MAX_HASHED_FILE_BYTES } from '../files/file-snapshot.ts'
import type { OpenFile } from '../files/open-file.ts'
import type { ResolvedEntry } from '../files/paths.ts'
import type { EditorBridge } from './editor-bridge.ts'
import type { EditorBuffer } from './editor-buffers.ts'
import { compareWithDisk, type UnsavedBuffer } from './unsaved-buffer.ts'

export class UnsavedFiles {
  readonly #editors: EditorBridge | undefined
  readonly #open: (place: ResolvedEntry) => OpenFile
  /** What was held of each path when the call was judged. */
  readonly #hashesAtResolve = new Map<string, string | undefined>()

  constructor(editors: EditorBridge | undefined, open: (place: ResolvedEntry) => OpenFile) {
    this.#editors = editors
    this.#open = open
  }

  /** Anything is held at all. */
  get hasBuffers(): boolean {
    return this.#editors?.hasBuffers ?? false
  }

  /** The call is judged on what is held now of that canonical path. */
  markResolved(path: string) {
    this.#hashesAtResolve.set(path, this.#editors?.bufferAt(path)?.hash)
  }

  /** What is held at a place that is not on the disk. */
  at(place: ResolvedEntry): UnsavedBuffer | undefined {
    const buffer = this.#editors?.bufferAt(place.path)
    return buffer && compareWithDisk(buffer, this.#onDisk(place))
  }

  /** What a change of the file there would replace in an editor, where changes go there. */
  editorTargetAt(place: ResolvedEntry): UnsavedBuffer | undefined {
    return this.#editors?.writesTo === 'editor' ? this.at(place) : undefined
  }

  /** What is held of the files beneath a folder. */
  buffersUnder(path: string): EditorBuffer[] {
    return this.#editors?.buffersUnder(path) ?? []
  }

  /** Refuses to change on the disk what an editor has taken up since the call was judged and, where changes go to
   * editors, anything that one holds. */
  assertNoConflict(place: ResolvedEntry) {
    const buffer = this.at(place)?.buffer
    if (!buffer) return
    const { path, client, hash } = buffer
    if (this.#hashesAtResolve.has(path) && this.#hashesAtResolve.get(path) !== hash)
      throw new ToolError('STALE_FILE', `${quotePath(path)} was edited in ${client} since the call was judged.`, {
        path,
        client
      })
    if (this.#editors?.writesTo === 'editor') throw unsavedElsewhereError(buffer)
  }

  /** The same for what changes with a whole folder. */
  assertNoConflictIn(folder: string) {
    const buffer = this.#editors?.writesTo === 'editor' ? this.buffersUnder(folder)[0] : undefined
    if (buffer) throw unsavedElsewhereError(buffer)
  }

  #onDisk(place: ResolvedEntry): Buffer | undefined {
    if (!place.stat?.isFile() || place.stat.size > MAX_HASHED_FILE_BYTES) return undefined
    const file = this.#open(place)
    try {
      return file.bytesSync()
    } finally {
      file.close()
    }
  }
}

const unsavedElsewhereError = ({ path, client }: EditorBuffer) =>
  new ToolError(
    'DELEGATE_UNAVAILABLE',
    `${quotePath(path)} has unsaved changes in ${client}, which cannot make this change: save it there first.`,
    { path, client }
  )
