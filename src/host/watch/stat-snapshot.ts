// What was seen of an entry of the tree without reading it, small enough to be kept of every file of a workspace.
import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { errnoOf } from '../files/errno.ts'

export interface StatSnapshot {
  kind: 'file' | 'symlink' | 'directory'
  /** Permission bits. */
  mode: number
  ino: number
  /** Of files; of folders these say nothing, since they change with what is in them. */
  size: number
  ctime: number
  /** When a file was changed; when a folder was made, which tells it from a later one with the same number. */
  mtime: number
  /** Where a symbolic link leads. */
  target?: string
}

/** Undefined where nothing is, or nothing that has a content, such as a socket. Throws where it may not be looked at. */
export function snapshotEntry(path: string): StatSnapshot | undefined {
  const stat = statIfExists(path)
  if (!stat) return undefined
  const { ino } = stat
  const mode = stat.mode & 0o7777
  if (stat.isDirectory()) return { kind: 'directory', mode, ino, size: 0, ctime: 0, mtime: stat.birthtimeMs }
  const { size, ctimeMs: ctime, mtimeMs: mtime } = stat
  if (stat.isFile()) return { kind: 'file', mode, ino, size, ctime, mtime }
  if (!stat.isSymbolicLink()) return undefined
  const target = readLinkIfExists(path)
  return target === undefined ? undefined : { kind: 'symlink', mode, ino, size, ctime, mtime, target }
}

/** Whether nothing of it has changed. A folder is the same whatever is in it. */
export function isSameSnapshot(a: StatSnapshot, b: StatSnapshot): boolean {
  if (a.kind !== b.kind || a.mode !== b.mode) return false
  if (a.kind === 'directory') return true
  if (a.kind === 'symlink') return a.target === b.target
  return a.ino === b.ino && a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime
}

/** Whether what is there now is certainly what was at another path before. A number alone would not tell: the next file
 * made may get that of the one just removed. But then it is younger. */
export const isMovedSnapshot = (from: StatSnapshot, to: StatSnapshot): boolean =>
  from.ino === to.ino &&
  from.mtime === to.mtime &&
  from.mtime > 0 &&
  from.kind === to.kind &&
  from.size === to.size &&
  from.mode === to.mode

// File systems keep times in steps of some milliseconds: a change within one step leaves no trace.
const TIMESTAMP_GRANULARITY_MS = 50

/** Changed so lately that a further change might not show. */
export const isRacySnapshot = ({ mtime, ctime }: StatSnapshot): boolean =>
  Math.max(mtime, ctime) > Date.now() - TIMESTAMP_GRANULARITY_MS

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
    // Gone, or no link any more.
    return undefined
  }
}
