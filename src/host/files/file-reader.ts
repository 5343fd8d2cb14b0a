// Read access to the files of one workspace, for one call: contents, metadata, folders, and editors' unsaved buffers.
import { ToolError } from '../../errors.ts'
import type { EditorBuffer } from '../editors/editor-buffers.ts'
import type { UnsavedBuffer } from '../editors/unsaved-buffer.ts'
import { hashBytes } from './content-source.ts'
import { toFileError } from './errno.ts'
import { fileNotFoundError, notAFolderError } from './file-errors.ts'
import type { FileScope } from './file-scope.ts'
import {
  type DirectoryEntry,
  type EntryInfo,
  entryTypeOf,
  FileSnapshot,
  MAX_HASHED_FILE_BYTES
} from './file-snapshot.ts'
import { fileIdentity, isRacyStat, statFingerprint } from './fingerprint.ts'
import { listEntries } from './folder-entries.ts'
import { type Listing, type ListingQuery, listFolder } from './listing.ts'
import { openEntry, openReadable } from './open-entry.ts'
import type { OpenFile } from './open-file.ts'
import { type ResolvedEntry, resolveLiteralEntry, resolveWorkspacePath } from './paths.ts'
import { assertNotServerFile } from './policy/path-policy.ts'
import { readLink } from './read-link.ts'
import { fingerprintTree } from './tree-fingerprint.ts'

/** Implements what `Files` documents. */
export class FileReader {
  readonly #scope: FileScope

  constructor(scope: FileScope) {
    this.#scope = scope
  }

  fingerprint(path: string): string | undefined {
    const place = resolveWorkspacePath(this.#scope.workspace, path)
    place.close()
    return place.stat && !isRacyStat(place.stat) ? statFingerprint(place.stat) : undefined
  }

  async fingerprintTree(path: string): Promise<string | undefined> {
    const { workspace, effects } = this.#scope
    const place = resolveLiteralEntry(workspace, path)
    place.close()
    if (!place.stat?.isDirectory()) return undefined
    return fingerprintTree(workspace, path, effects.signal)
  }

  unsaved(path: string): UnsavedBuffer | undefined {
    const { unsaved, paths } = this.#scope
    return unsaved.hasBuffers ? this.#unsavedAt(paths.walk(path)) : undefined
  }

  unsavedAt(path: string): EditorBuffer[] {
    const { unsaved, workspace } = this.#scope
    const own = unsaved.hasBuffers ? this.#unsavedAt(resolveLiteralEntry(workspace, path)) : undefined
    return own ? [own.buffer] : []
  }

  unsavedIn(path: string): EditorBuffer[] {
    return [...this.unsavedAt(path), ...this.#scope.unsaved.buffersUnder(path)]
  }

  open(path: string): OpenFile {
    const { workspace, guard, paths } = this.#scope
    return openReadable(workspace, guard, paths.walk(path), path)
  }

  identify(path: string, max_bytes: number): { hash: string; bytes?: Buffer } | undefined {
    try {
      const file = this.open(path)
      try {
        if (file.size > max_bytes) return { hash: `stat:${statFingerprint(file.stat)}` }
        const bytes = file.bytesSync()
        return { hash: hashBytes(bytes), bytes }
      } finally {
        file.close()
      }
    } catch (error) {
      if (error instanceof ToolError) return undefined
      throw error
    }
  }

  async snapshot(path: string): Promise<FileSnapshot | undefined> {
    const { workspace, guard, effects, paths, images } = this.#scope
    const place = paths.walk(path)
    let file: OpenFile
    let unsaved: UnsavedBuffer | undefined
    try {
      assertNotServerFile(workspace, guard, place, path)
      if (!place.stat) {
        images.check(place.path, () => 'absent', path)
        return undefined
      }
      file = openEntry(workspace, guard, place, path)
      unsaved = this.#scope.unsaved.editorTargetAt(place)
    } finally {
      place.close()
    }
    try {
      const found = unsaved
        ? new FileSnapshot({ path: file.path, size: unsaved.bytes.length, stat: file.stat }, unsaved.bytes, unsaved)
        : new FileSnapshot(file, file.size > MAX_HASHED_FILE_BYTES ? undefined : await file.bytes(effects.signal))
      images.check(found.path, () => found.hash ?? `stat:${statFingerprint(found.stat)}`, path)
      return found
    } finally {
      file.close()
    }
  }

  inspectEntry(path: string): EntryInfo | undefined {
    return this.#inspect(path, this.#scope.paths.walkEntry(path))
  }

  inspectLiteral(path: string): EntryInfo | undefined {
    return this.#inspect(path, this.#scope.paths.walkLiteral(path))
  }

  listing(path: string, query: ListingQuery): Promise<Listing> {
    const { workspace, guard, paths } = this.#scope
    const place = paths.walk(path)
    place.close()
    this.#assertFolder(place, path)
    return listFolder(workspace, guard, place.path, query)
  }

  entries(path: string, shown: (name: string) => boolean = () => true): DirectoryEntry[] {
    const { workspace, guard, paths } = this.#scope
    const place = paths.walk(path)
    try {
      this.#assertFolder(place, path)
      return listEntries(workspace, guard, place, shown)
    } catch (error) {
      throw toFileError(error, path)
    } finally {
      place.close()
    }
  }

  #assertFolder(place: ResolvedEntry, path: string) {
    assertNotServerFile(this.#scope.workspace, this.#scope.guard, place, path)
    if (!place.stat) throw fileNotFoundError(path)
    if (!place.stat.isDirectory()) throw notAFolderError(path)
  }

  #inspect(path: string, place: ResolvedEntry): EntryInfo | undefined {
    const { workspace, guard, images } = this.#scope
    try {
      assertNotServerFile(workspace, guard, place, path)
      const { stat } = place
      if (!stat) {
        images.note(place.path, () => 'absent')
        return undefined
      }
      const type = entryTypeOf(stat)
      const target = type === 'symlink' && { target: readLink(place) }
      if (target) images.note(place.path, () => `link:${target.target}`)
      else if (type === 'directory') images.note(place.path, () => 'directory')
      else images.noteUnread(place.path)
      const identity = type === 'file' && { identity: fileIdentity(stat) }
      return { path: place.path, type, mode: Number(stat.mode & 0o7777n), ...target, ...identity }
    } finally {
      place.close()
    }
  }

  #unsavedAt(place: ResolvedEntry): UnsavedBuffer | undefined {
    try {
      return this.#scope.unsaved.at(place)
    } finally {
      place.close()
    }
  }
}
