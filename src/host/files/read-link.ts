// Reads the target of a link that other programs may remove or replace at any moment.
import { readlinkSync } from './byte-path-fs.ts'
import { errnoOf, staleFileError } from './errno.ts'
import type { ResolvedEntry } from './paths.ts'

/** Returns the target of an entry that was a link when it was resolved. Throws STALE_FILE if it is none any more. */
export function readLink({ path, accessPath }: Pick<ResolvedEntry, 'path' | 'accessPath'>): string {
  try {
    return readlinkSync(accessPath)
  } catch (error) {
    if (['ENOENT', 'EINVAL', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw staleFileError(path)
    throw error
  }
}
