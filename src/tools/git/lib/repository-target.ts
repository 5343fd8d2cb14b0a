// Resolves the repository of a call, and its scope.
import { Type } from 'typebox'
import { ToolError } from '../../../errors.ts'
import { assertGitSucceeded } from '../../../host/git/errors.ts'
import type { Repository } from '../../../host/git/repository.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import type { Request } from '../../../tool/request.ts'

export const RepositoryFolder = Type.String({
  description:
    'Top-level folder of the repository, relative to the workspace; `.` if it is the workspace root or a parent of it.'
})

export const PATH_DESCRIPTION = 'Limit to this file or folder, in its repository. Default: workspace root.'

/** Names are also listed from history, as in a folder listing; contents are checked individually. */
export const listRequest = (path = '.'): Request => ({ paths: [{ path, access: 'list', tree: true, entry: true }] })

export interface RepositoryTarget {
  repository: Repository
  /** Canonical. */
  path: string
  /** Limits git to these paths; empty for all. */
  pathspecs: string[]
}

export async function resolveRepository({ host }: ReadContext, given = '.'): Promise<RepositoryTarget> {
  const { path } = host.files.peekEntry(given)
  const repository = await host.git.repository(path)
  return { repository, path, pathspecs: repository.pathspecs(path) }
}

/** Throws if a path without results exists neither on disk nor in any commit: that is a mistake. */
export async function assertPathKnown(
  { repository, path, pathspecs }: RepositoryTarget,
  { host }: ReadContext
): Promise<void> {
  if (host.files.peekEntry(path).kind !== 'missing') return
  const args = ['log', '--all', '--max-count=1', '--format=%H', '--', ...pathspecs]
  const { stdout, ...ended } = await host.git.run(repository, { args })
  assertGitSucceeded(ended, 'find the path in the history', repository)
  if (stdout.length > 0) return
  throw new ToolError('FILE_NOT_FOUND', `${path} exists neither on disk nor in any commit.`, { path })
}
