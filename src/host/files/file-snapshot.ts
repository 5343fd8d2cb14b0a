// What was found of a file, a folder or a link, when somebody looked.
import type { BigIntStats, Stats } from 'node:fs'
import type { UnsavedBuffer } from '../editors/unsaved-buffer.ts'
import { hashBytes } from './content-source.ts'
import type { OpenFile } from './open-file.ts'

/** Larger files are known by their stamp, not by a hash of their content. */
export const MAX_HASHED_FILE_BYTES = 8 * 1024 * 1024

/** A file as it was found, for replacing exactly that. */
export class FileSnapshot {
  readonly path: string
  readonly size: number
  readonly stat: BigIntStats
  /** Undefined for files over `MAX_HASHED_FILE_BYTES`. */
  readonly bytes: Buffer | undefined
  /** Set where `bytes` is what an editor holds unsaved, which is where a change of it goes. */
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

  /** Made when it is first asked for: a change has time for that while the disk works. */
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
  /** Protected: not to be looked into or changed. */
  closed: boolean
}

/** What is at a path itself: a link there is not followed. */
export interface EntryInfo {
  /** Canonical but for a link at its end. */
  path: string
  type: DirectoryEntry['type']
  /** Permission bits. */
  mode: number
  /** Where a link leads. */
  target?: string
}

export function entryTypeOf(stat: Pick<Stats, 'isSymbolicLink' | 'isFile' | 'isDirectory'>): DirectoryEntry['type'] {
  if (stat.isSymbolicLink()) return 'symlink'
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other'
}
