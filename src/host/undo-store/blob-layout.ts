// On-disk layout of the blob store: `ab/cdef…` by content hash, and names for blobs that are still being written.
import { randomBytes } from 'node:crypto'
import path from 'node:path'

const TEMP_PREFIX = 'being-kept-'
const HASH = /^sha256:(?<shelf>[0-9a-f]{2})(?<name>[0-9a-f]{62})$/

/** Returns the path of a blob; undefined for an invalid hash. */
export function blobPath(folder: string, hash: string): string | undefined {
  const parts = HASH.exec(hash)?.groups
  return parts && path.join(folder, parts.shelf!, parts.name!)
}

/** Returns a new temporary name for content whose hash is not known yet. */
export const newBlobTempPath = (folder: string): string =>
  path.join(folder, TEMP_PREFIX + randomBytes(9).toString('hex'))

export const isShard = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)
export const isBlobTemp = (name: string): boolean => name.startsWith(TEMP_PREFIX)
export const hashFromPath = (shelf: string, name: string): string => `sha256:${shelf}${name}`
