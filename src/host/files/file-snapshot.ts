// Snapshots of a file, folder or link at the time it was inspected.
import type { BigIntStats, Stats } from 'node:fs'
import type { UnsavedBuffer } from '../editors/unsaved-buffer.ts'
import { hashBytes } from './content-source.ts'
import type { OpenFile } from './open-file.ts'

/** Larger files are identified by their fingerprint instead of a content hash. */
export const MAX_HASHED_FILE_BYTES = 8 * 1024 * 1024

/** Snapshot of a file, used as the precondition for replacing it. */
export class FileSnapshot {
  readonly path: string
  readonly size: number
  readonly stat: BigIntStats
  /** Undefined for files over `MAX_HASHED_FILE_BYTES`. */
  readonly bytes: Buffer | undefined
  /** Set if `bytes` is an editor's unsaved buffer; changes then go to that buffer. */
  readonly unsaved: UnsavedBuffer | undefined
  #hash: string | undefined

  constructor(
    { path, size, stat }: Pick<OpenFile, 'path' | 'size' | 'stat'>,
    bytes: Buffer | undefined,
    unsaved?: UnsavedBuffer
  ) {
    this.path = path
    this.size = size
    this.stat = stat
    this.bytes = bytes
    this.unsaved = unsaved
  }

  /** Hash of the content, computed lazily: a change has time for that while the disk works. */
  get hash(): string | undefined {
    if (this.bytes) this.#hash ??= hashBytes(this.bytes)
    return this.#hash
  }
}

export interface DirectoryEntry {
  name: string
  path: string
  type: 'file' | 'directory' | 'symlink' | 'other'
  size: number
  modified: string
  /** The entry is protected: it may be neither read nor changed. */
  closed: boolean
}

/** The entry at a path; a link there is not followed. */
export interface EntryInfo {
  /** Canonical except for a final link. */
  path: string
  type: DirectoryEntry['type']
  /** Permission bits. */
  mode: number
  /** Target of a symbolic link. */
  target?: string
  /** Identity of a file, as of one whose content is not read. */
  identity?: string
}

export function entryTypeOf(stat: Pick<Stats, 'isSymbolicLink' | 'isFile' | 'isDirectory'>): DirectoryEntry['type'] {
  if (stat.isSymbolicLink()) return 'symlink'
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other'
}
