// Time of the last change of a repository's HEAD, read from its reflog without starting git.
import { statSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { findRepository, type RepositoryBounds } from './repository-location.ts'

/**
 * Returns when HEAD of a folder's repository, the nearest one, last moved, as by a commit or checkout, in milliseconds since the Unix
 * epoch; undefined if there is no repository, or it keeps no reflog, and Infinity if it cannot be determined. `folder` is canonical,
 * relative to the root.
 */
export function lastHeadChange(bounds: RepositoryBounds, folder: string): number | undefined {
  try {
    return statSync(path.join(findRepository(bounds, folder).git_dir, 'logs', 'HEAD')).mtimeMs
  } catch (error) {
    return error instanceof ToolError && error.code !== 'FILE_NOT_FOUND' ? Number.POSITIVE_INFINITY : undefined
  }
}
