// Snapshot of an entry's metadata, taken without reading it and small enough to store for every file of a workspace.

import type { Stats } from 'node:fs'
import { lstatSync, readlinkSync } from '../files/byte-path-fs.ts'
import { errnoOf } from '../files/errno.ts'

export interface StatSnapshot {
  /** `other` is a pipe, a socket or a device. */
  kind: 'file' | 'symlink' | 'directory' | 'other'
  /** Permission bits. */
  mode: number
  ino: number
  /** Meaningful for files only; those of folders change with their entries. */
  size: number
  ctime: number
  /**
   * Modification time of a file; creation time of a folder, which distinguishes it from a later one with the same inode number.
   */
  mtime: number
  /** Creation time of a file, if the file system records it. */
  born?: number
  /** Target of a symbolic link. */
  target?: string
}

/** Takes a snapshot; undefined if there is no entry. Throws if access is denied. */
export function snapshotEntry(path: string): StatSnapshot | undefined {
  const stat = statIfExists(path)
  if (!stat) return undefined
  const { ino } = stat
  const mode = stat.mode & 0o7777
  if (stat.isDirectory()) return { kind: 'directory', mode, ino, size: 0, ctime: 0, mtime: stat.birthtimeMs }
  const { size, ctimeMs: ctime, mtimeMs: mtime } = stat
  if (stat.isFile())
    return { kind: 'file', mode, ino, size, ctime, mtime, ...(stat.birthtimeMs > 0 && { born: stat.birthtimeMs }) }
  if (!stat.isSymbolicLink()) return { kind: 'other', mode, ino, size: 0, ctime, mtime }
  const target = readLinkIfExists(path)
  return target === undefined ? undefined : { kind: 'symlink', mode, ino, size, ctime, mtime, target }
}

/** Checks if nothing has changed. A folder is the same whatever it contains. */
export function isSameSnapshot(a: StatSnapshot, b: StatSnapshot): boolean {
  if (a.kind !== b.kind || a.mode !== b.mode) return false
  if (a.kind === 'directory') return true
  if (a.kind === 'other') return a.ino === b.ino
  if (a.kind === 'symlink') return a.target === b.target
  return a.ino === b.ino && a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime
}

/**
 * Checks if an entry is certainly the one that was at another path before. The inode number alone does not suffice: the next file
 * created may reuse that of a removed one. But then it is younger.
 */
export const isMovedSnapshot = (from: StatSnapshot, to: StatSnapshot): boolean =>
  from.ino === to.ino &&
  from.mtime === to.mtime &&
  from.mtime > 0 &&
  from.kind !== 'other' &&
  from.kind === to.kind &&
  from.size === to.size &&
  from.mode === to.mode

// File systems store times with a granularity of some milliseconds: a second change within one step leaves no trace.
const TIMESTAMP_GRANULARITY_MS = 50

/** Checks if an entry changed so shortly before its snapshot was taken that a further change might go unnoticed. */
export const isRacySnapshot = ({ mtime, ctime }: StatSnapshot, takenAt = Date.now()): boolean =>
  Math.max(mtime, ctime) > takenAt - TIMESTAMP_GRANULARITY_MS

// Allowed clock skew of file timestamps in milliseconds.
const CLOCK_SKEW_MS = 50

/** Checks if an entry existed before a time in milliseconds. */
export const isOlder = ({ mtime, ctime, born = Number.POSITIVE_INFINITY }: StatSnapshot, time: number): boolean =>
  Math.min(born, Math.max(mtime, ctime)) < time - CLOCK_SKEW_MS

const MISSING_CODES = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

function statIfExists(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (MISSING_CODES.has(errnoOf(error) ?? '')) return undefined
    throw error
  }
}

function readLinkIfExists(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // Removed, or no longer a link.
    return undefined
  }
}
