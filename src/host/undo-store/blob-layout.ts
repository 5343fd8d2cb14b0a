// Where kept contents lie: `ab/cdef…` by the hash of what is in them, and names for those that are still being written.
import { randomBytes } from 'node:crypto'
import path from 'node:path'

const TEMP_PREFIX = 'being-kept-'
const HASH = /^sha256:(?<shelf>[0-9a-f]{2})(?<name>[0-9a-f]{62})$/

/** The file of a content; undefined where the hash is none. */
export function blobPath(folder: string, hash: string): string | undefined {
  const parts = HASH.exec(hash)?.groups
  return parts && path.join(folder, parts.shelf!, parts.name!)
}

/** A fresh name for a content whose hash is not known yet. */
export const newBlobTempPath = (folder: string): string =>
  path.join(folder, TEMP_PREFIX + randomBytes(9).toString('hex'))

export const isShard = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)
export const isBlobTemp = (name: string): boolean => name.startsWith(TEMP_PREFIX)
export const hashFromPath = (shelf: string, name: string): string => `sha256:${shelf}${name}`
