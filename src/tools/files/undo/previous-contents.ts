// Restores a file's content before a call from the blob store, merged with later changes.
import { isAscii } from 'node:buffer'
import { ToolError } from '../../../errors.ts'
import type { Change } from '../../../host/change.ts'
import type { ComputePool } from '../../../host/compute/compute-pool.ts'
import { hashBytes } from '../../../host/files/content-source.ts'
import { MAX_HASHED_FILE_BYTES } from '../../../host/files/file-snapshot.ts'
import { decodeEditable, type EditableText, encode } from '../../../text/encoding.ts'
import { isLegacyEncoding } from '../../../text/legacy-encodings.ts'
import type { MergeResult } from '../../../text/merge/merge.ts'
import type { ReadFiles } from '../../../tool/contexts.ts'
import { Obstruction } from './obstruction.ts'
import type { EntryState, FileState } from './workspace-overlay.ts'

/** Sources of contents, and the computation of merges. */
interface Sources {
  files: ReadFiles
  compute: ComputePool
  signal: AbortSignal
}

/** Maximum number of blob bytes that one undo may hold in memory. */
const MAX_HELD_BYTES = 256 * 1024 * 1024
const MERGE_TIMEOUT_MS = 3_000

export class PreviousContents {
  readonly #sources: Sources
  /** Number of blob bytes in memory. */
  heldBytes = 0

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /** Returns the previous entry at the path: it was deleted, or overwritten by a move. */
  async entryBefore(change: Change): Promise<EntryState> {
    const { path, operation, kind, target, before_hash, before_mode, before_attributes } = change
    const mode = before_mode === undefined ? {} : parseMode(before_mode)
    if (operation === 'deleted' && kind === 'directory') return { kind, ...mode }
    if (operation === 'deleted' && kind === 'symlink') {
      if (target === undefined) throw new Obstruction(path, 'not_kept')
      return { kind, target }
    }
    const entry = { kind: 'file' as const, ...(await this.#loadStored(path, before_hash)), ...mode }
    if (before_attributes === undefined) return entry
    const attributes = await this.#sources.files.findStored(before_attributes)?.bytes(this.#sources.signal)
    if (!attributes) throw new Obstruction(path, 'not_kept')
    return { ...entry, attributes }
  }

  /**
   * Returns the file before the call; `left` and `back` are the hashes of the call's result and of the restored content. Later
   * changes are preserved.
   */
  async fileBefore(change: Change, now: FileState, { left, back }: { left?: string; back?: string }) {
    const mode = modeBefore(change, now)
    if (now.hash === back || (left !== undefined && left === back)) return { ...now, ...mode }
    const before = await this.#loadStored(change.path, back)
    const { bytes: _, blob: __, ...same } = now
    if (now.hash === left) return { ...same, ...before, ...mode }
    const bytes = await this.#mergeBytes(change.path, now, left, before.bytes)
    if (now.bytes?.equals(bytes)) return { ...now, ...mode }
    return { ...same, hash: hashBytes(bytes), bytes, merged: true as const, ...mode }
  }

  /** Large blobs are not read before they are written. */
  async #loadStored(path: string, hash: string | undefined): Promise<Pick<FileState, 'hash' | 'bytes' | 'blob'>> {
    const blob = hash === undefined ? undefined : this.#sources.files.findStored(hash)
    if (hash === undefined || !blob) throw new Obstruction(path, 'not_kept')
    if (blob.size > MAX_HASHED_FILE_BYTES) return { hash, bytes: undefined, blob }
    this.heldBytes += blob.size
    if (this.heldBytes > MAX_HELD_BYTES) throw new Obstruction(path, 'too_large')
    const bytes = await blob.bytes(this.#sources.signal)
    if (!bytes) throw new Obstruction(path, 'not_kept')
    return { hash, bytes }
  }

  async #mergeBytes(
    path: string,
    now: FileState,
    left: string | undefined,
    before: Buffer | undefined
  ): Promise<Buffer> {
    if (!before) throw new Obstruction(path, 'too_large')
    const base = left === undefined ? undefined : (await this.#loadLeft(path, left))?.bytes
    const texts = decodeVersions([base, now.bytes, before])
    if (!texts) throw new Obstruction(path, 'changed')
    const [was, ours, theirs] = texts
    const merged = await this.#mergeTexts(path, { base: was.text, ours: ours.text, theirs: theirs.text })
    if ('conflicts' in merged) throw new Obstruction(path, 'overlap', merged.conflicts)
    const bytes = encode(merged.text, ours.encoding === was.encoding ? theirs.encoding : ours.encoding)
    if (!bytes) throw new Obstruction(path, 'changed')
    return bytes
  }

  /** Returns the call's result, if it is stored. */
  async #loadLeft(path: string, hash: string) {
    return this.#sources.files.findStored(hash) && this.#loadStored(path, hash)
  }

  async #mergeTexts(path: string, versions: { base: string; ours: string; theirs: string }): Promise<MergeResult> {
    const { compute, signal } = this.#sources
    try {
      return await compute.run('merge', versions, { signal, deadlineMs: MERGE_TIMEOUT_MS })
    } catch (error) {
      if (!signal.aborted && error instanceof ToolError && error.code === 'TIMEOUT')
        throw new Obstruction(path, 'too_large')
      throw error
    }
  }
}

export const parseMode = (mode: string) => ({ mode: Number.parseInt(mode, 8) })

type Versions<T> = [was: T, ours: T, theirs: T]

/**
 * Decodes three versions of a text. Guesses by each of them might differ: lines of guessed encodings are merged as bytes, which
 * Latin-1 maps to characters one to one.
 */
function decodeVersions(versions: Versions<Buffer | undefined>): Versions<EditableText> | undefined {
  const texts = versions.map(bytes => bytes && decodeEditable(bytes))
  if (!texts.every(text => text !== undefined)) return undefined
  const isBytewise = texts.every(
    ({ encoding, guessed }, i) =>
      isLegacyEncoding(encoding) || (guessed && encoding === 'utf-8') || isAscii(versions[i]!)
  )
  const found = isBytewise ? versions.map(bytes => decodeEditable(bytes!, 'latin1')!) : texts
  return found.every(({ exact }) => exact) ? (found as Versions<EditableText>) : undefined
}

/** Permission bits are restored unless they were changed since. */
function modeBefore({ path, before_mode, after_mode }: Change, now: FileState): { mode?: number } {
  if (before_mode === undefined || after_mode === undefined || before_mode === after_mode) return {}
  if (now.mode !== parseMode(after_mode).mode && now.mode !== parseMode(before_mode).mode)
    throw new Obstruction(path, 'changed')
  return parseMode(before_mode)
}
