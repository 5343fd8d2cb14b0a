// Images of the entries that one call looks at: strings that differ when the content does. A decision is bound to them, and a plan
// holds as long as they match.
import { ToolError } from '../../errors.ts'
import type { UnsavedFiles } from '../editors/unsaved-files.ts'
import type { Effects } from '../effects.ts'
import type { Workspace } from '../workspace.ts'
import { hashBytes, hashChunks } from './content-source.ts'
import { staleFileError } from './errno.ts'
import { MAX_HASHED_FILE_BYTES } from './file-snapshot.ts'
import { statFingerprint } from './fingerprint.ts'
import { openEntry } from './open-entry.ts'
import { resolveLiteralEntry } from './paths.ts'
import { ApprovedState } from './policy/approved-state.ts'
import type { PathGuard } from './policy/path-policy.ts'
import { readLink } from './read-link.ts'

/** Returns the image of an entry; undefined for a file that was not read. */
export type ObservedImage = (() => string) | undefined

export class EntryImages {
  readonly #workspace: Workspace
  readonly #guard: PathGuard
  readonly #effects: Effects
  readonly #unsaved: UnsavedFiles
  readonly #approved = new ApprovedState()
  /** Images of the entries that are looked at, while they are observed. */
  #observed: Map<string, ObservedImage> | undefined

  constructor(workspace: Workspace, guard: PathGuard, effects: Effects, unsaved: UnsavedFiles) {
    this.#workspace = workspace
    this.#guard = guard
    this.#effects = effects
    this.#unsaved = unsaved
  }

  /** Returns the image of a canonical path, on which a decision is based: no link is followed. */
  preimage(path: string): string {
    const image = this.#preimageOf(path)
    this.#approved.record(path, image)
    return image
  }

  /** Returns the content hash of a file of any size; of anything else, and of a file that changes meanwhile, its preimage. */
  async contentHash(path: string): Promise<string> {
    const image = this.preimage(path)
    if (!image.startsWith('stat:')) return image
    const place = resolveLiteralEntry(this.#workspace, path)
    try {
      const file = openEntry(this.#workspace, this.#guard, place, path)
      try {
        const hash = await hashChunks(file.chunks(this.#effects.signal))
        return image === `stat:${statFingerprint(file.stat)}` && file.isUnchanged() ? hash : image
      } finally {
        file.close()
      }
    } catch (error) {
      if (error instanceof ToolError && ['PERMISSION_DENIED', 'NOT_A_FILE'].includes(error.code)) return image
      throw error
    } finally {
      place.close()
    }
  }

  /** Records that a decision is based on this image of a canonical path. */
  record(path: string, image: string) {
    this.#approved.record(path, image)
  }

  /** Binds the call to the recorded images: until it is classified again, it acts on those or fails. */
  bind() {
    this.#approved.bind()
  }

  /** Ends what `bind` did, and forgets the recorded images. */
  release() {
    this.#approved.release()
  }

  /** Returns the result of `work` with the images of the entries that it has looked at, by canonical path. */
  async observe<T>(work: () => Promise<T> | T): Promise<{ result: T; images: Map<string, ObservedImage> }> {
    const images = new Map<string, ObservedImage>()
    this.#observed = images
    try {
      return { result: await work(), images }
    } finally {
      this.#observed = undefined
    }
  }

  /** Notes that an entry is looked at whose image is this; fails if the call is bound to another. */
  check(path: string, image: () => string, given: string) {
    if (this.#approved.differs(path, image)) throw staleFileError(given)
    this.note(path, image)
  }

  /** Notes that an entry is looked at whose image is this. */
  note(path: string, image: () => string) {
    this.#observed?.set(path, image)
  }

  /** Notes that an entry is looked at whose content is not read. */
  noteUnread(path: string) {
    if (!this.#observed?.has(path)) this.#observed?.set(path, undefined)
  }

  #preimageOf(path: string): string {
    const place = resolveLiteralEntry(this.#workspace, path)
    try {
      const { stat } = place
      const replaced = this.#unsaved.editorTargetAt(place)
      if (replaced) return hashBytes(replaced.bytes)
      if (!stat) return 'absent'
      if (stat.isDirectory()) return 'directory'
      if (stat.isSymbolicLink()) return `link:${readLink(place)}`
      if (!stat.isFile() || stat.size > MAX_HASHED_FILE_BYTES) return `stat:${statFingerprint(stat)}`
      const file = openEntry(this.#workspace, this.#guard, place, path)
      try {
        return hashBytes(file.bytesSync())
      } finally {
        file.close()
      }
    } catch (error) {
      if (error instanceof ToolError && error.code === 'PERMISSION_DENIED')
        return `stat:${statFingerprint(place.stat!)}`
      throw error
    } finally {
      place.close()
    }
  }
}
