// Time of the last change of a repository's HEAD, read from its reflog without starting git.
import { statSync } from 'node:fs'
import path from 'node:path'
import type { Workspace } from '../workspace.ts'
import { findRepository } from './repository-location.ts'

/**
 * Returns when HEAD of the repository of a workspace last moved, as by a commit or checkout, in milliseconds since the Unix epoch;
 * undefined if there is no repository, or it keeps no reflog.
 */
export function lastHeadChange(workspace: Workspace): number | undefined {
  try {
    return statSync(path.join(findRepository(workspace, '.').git_dir, 'logs', 'HEAD')).mtimeMs
  } catch {
    return undefined
  }
}
