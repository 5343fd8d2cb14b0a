// Plans a push: its commits and destination, as far as they can be determined without accessing the remote.
import { invalidParam, ToolError } from '../../../errors.ts'
import { lastValue } from '../../../host/git/configuration.ts'
import { assertGitSucceeded } from '../../../host/git/errors.ts'
import type { PushDestination } from '../../../host/git/push.ts'
import type { Repository } from '../../../host/git/repository.ts'
import { readHeadRef, resolveCommit } from '../../../host/git/update-branch.ts'
import { branchNameError, HEADS } from '../../../text/ref-name.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import { type Commit, FORMAT_FLAGS, parseCommits } from './commit-format.ts'
import { selectRemote, trackingRef } from './remotes.ts'
import { resolveRepository } from './repository-target.ts'

/** Further commits are counted, not listed. */
const MAX_LISTED_COMMITS = 50
/** Maximum size of the list of names that is checked for secrets. */
const NAMES_BYTES = 8 * 1024 * 1024
const MAX_SCANNED_COMMITS = 10_000

interface PushInput {
  remote?: string
  branch?: string
  force?: boolean
  path?: string
}

export interface PushPlan {
  repository: Repository
  remote: string
  to: PushDestination
  branch: string
  oid: string
  /** The remote-tracking branch. */
  tracking: string | undefined
  /** Its commit, as of the last fetch. */
  known: string | undefined
  force: boolean
  /** The first commits, newest first. */
  commits: Commit[]
  total: number
  /** Number of commits of the remote branch that are missing here. */
  missing: number
  /** The branch has no upstream yet, and would get the pushed one. */
  setsUpstream: boolean
  /** Its upstream, if different. */
  follows: string | undefined
  /** Files of the commits that may hold credentials; undefined if there are too many to check. */
  secrets: string[] | undefined
}

export async function planPush(input: PushInput, ctx: ReadContext): Promise<PushPlan> {
  const { git } = ctx.host
  const { repository } = await resolveRepository(ctx, input.path)
  const branch = await resolveBranch(input, repository, ctx)
  const oid = await resolveCommit(git, repository, HEADS + branch)
  if (oid === undefined) throw invalidParam('branch', `${JSON.stringify(branch)} is not a local branch with a commit.`)
  const remote = selectRemote(repository, input.remote, branch)
  const to = await git.createPush(repository).resolveDestination(remote)
  const tracking = trackingRef(repository, remote.name, branch)
  const known = tracking === undefined ? undefined : await resolveCommit(git, repository, tracking)
  const { force = false } = input
  if (force && known === undefined)
    throw new ToolError(
      'CONFLICT',
      `The state of ${branch} at ${remote.name} is unknown: fetch the branch before you overwrite it.`,
      {
        remote: remote.name
      }
    )
  const not = known === undefined ? excludeRemoteBranches(remote.name) : [`^${known}`]
  const missing = known === undefined ? 0 : await count([`${oid}..${known}`], repository, ctx)
  if (missing > 0 && !force)
    throw new ToolError(
      'CONFLICT',
      `${remote.name} has ${missing} commits of ${branch} that are missing in the local branch, as of the last fetch. Integrate them first, for example with \`git pull --rebase\` in shell_exec.`,
      { remote: remote.name, missing }
    )
  const { allSettings } = repository.configuration
  const [merge, upstream] = ['merge', 'remote'].map(key => lastValue(allSettings, `branch.${branch}.${key}`))
  const follows = merge && upstream ? `${upstream}/${merge.replace(HEADS, '')}` : undefined
  const total = await count([oid, ...not], repository, ctx)
  return {
    repository,
    remote: remote.name,
    to,
    branch,
    oid,
    tracking,
    known,
    force,
    commits: await listCommits([oid, ...not], repository, ctx),
    total,
    missing,
    setsUpstream: follows === undefined && tracking !== undefined,
    follows: follows === `${remote.name}/${branch}` ? undefined : follows,
    secrets: total > MAX_SCANNED_COMMITS ? undefined : await findSecretFiles([oid, ...not], repository, ctx)
  }
}

async function resolveBranch({ branch }: PushInput, repository: Repository, { host }: ReadContext): Promise<string> {
  if (branch !== undefined) {
    const error = branchNameError(branch)
    if (error !== undefined)
      throw invalidParam('branch', `${error}; specify a branch of this repository, such as main.`)
    return branch
  }
  const current = await readHeadRef(host.git, repository)
  if (current?.startsWith(HEADS)) return current.slice(HEADS.length)
  throw new ToolError('CONFLICT', 'No branch is checked out: specify the branch to push.')
}

/** Excludes commits that any known branch of the remote already contains. */
const excludeRemoteBranches = (remote: string) => (/^[\w./-]+$/.test(remote) ? ['--not', `--remotes=${remote}`] : [])

async function count(range: readonly string[], repository: Repository, { host }: ReadContext): Promise<number> {
  const { stdout, ...ended } = await host.git.run(repository, { args: ['rev-list', '--count', ...range, '--'] })
  assertGitSucceeded(ended, 'count the commits', repository)
  return Number(stdout.toString('latin1'))
}

async function listCommits(range: readonly string[], repository: Repository, { host }: ReadContext): Promise<Commit[]> {
  const args = ['log', ...FORMAT_FLAGS, `--max-count=${MAX_LISTED_COMMITS}`, ...range, '--']
  const { stdout, ...ended } = await host.git.run(repository, { args })
  assertGitSucceeded(ended, 'list the commits', repository)
  return parseCommits(stdout.toString('utf8')).map(({ commit }) => commit)
}

async function findSecretFiles(range: readonly string[], repository: Repository, { host }: ReadContext) {
  const args = [
    'log',
    '--format=',
    '--name-only',
    '-z',
    '--no-renames',
    '--diff-filter=d',
    `--max-count=${MAX_SCANNED_COMMITS}`,
    // For a merge, only what differs from all its parents.
    '-c',
    ...range,
    '--'
  ]
  try {
    const { stdout, ...ended } = await host.git.run(repository, { args, max_bytes: NAMES_BYTES })
    assertGitSucceeded(ended, 'list the files of the commits', repository)
    const names = new Set(stdout.toString('utf8').split('\0').filter(Boolean))
    return [...names].filter(name => mayHoldSecrets(repository.toWorkspacePath(name.trimStart()), host))
  } catch (error) {
    if (error instanceof ToolError && error.code === 'TOO_LARGE') return undefined
    throw error
  }
}

function mayHoldSecrets(path: string | undefined, { files }: ReadContext['host']): boolean {
  try {
    return path !== undefined && files.peekEntry(path).sensitive
  } catch (error) {
    // An invalid path here.
    if (error instanceof ToolError) return false
    throw error
  }
}
