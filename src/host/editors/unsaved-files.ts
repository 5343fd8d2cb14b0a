// Unsaved buffers of one workspace, as seen by one call.
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
  /** Buffer hash of each path when policy evaluated the call. */
  readonly #hashesAtResolve = new Map<string, string | undefined>()

  constructor(editors: EditorBridge | undefined, open: (place: ResolvedEntry) => OpenFile) {
    this.#editors = editors
    this.#open = open
  }

  /** True if there are any buffers. */
  get hasBuffers(): boolean {
    return this.#editors?.hasBuffers() ?? false
  }

  /** Binds the call to the current buffer of a canonical path. */
  markResolved(path: string) {
    this.#hashesAtResolve.set(path, this.#editors?.bufferAt(path)?.hash)
  }

  /** Returns the unsaved buffer of an entry. */
  at(place: ResolvedEntry): UnsavedBuffer | undefined {
    const buffer = this.#editors?.bufferAt(place.path)
    return buffer && compareWithDisk(buffer, this.#onDisk(place))
  }

  /** Returns the buffer that a change would modify, if changes go to editors. */
  editorTargetAt(place: ResolvedEntry): UnsavedBuffer | undefined {
    return this.#editors?.writesTo === 'editor' ? this.at(place) : undefined
  }

  /** Returns the buffers below a folder. */
  buffersUnder(path: string): EditorBuffer[] {
    return this.#editors?.buffersUnder(path) ?? []
  }

  /**
   * Refuses to write a file on disk if an editor has opened or changed it since policy evaluated the call, or, if changes go to
   * editors, has any buffer of it.
   */
  assertNoConflict(place: ResolvedEntry) {
    const buffer = this.at(place)?.buffer
    if (!buffer) return
    const { path, client, hash } = buffer
    if (this.#hashesAtResolve.has(path) && this.#hashesAtResolve.get(path) !== hash)
      throw new ToolError(
        'STALE_FILE',
        `${quotePath(path)} changed in ${client} after the call was evaluated. Send the call again.`,
        {
          path,
          client
        }
      )
    if (this.#editors?.writesTo === 'editor') throw unsavedElsewhereError(buffer)
  }

  /** Checks the same for everything that changes with a folder. */
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
    `${quotePath(path)} has unsaved changes in ${client}, which cannot apply this change. Save the file in ${client} first.`,
    { path, client }
  )
