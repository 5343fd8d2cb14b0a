// Plans the creation or checkout of a branch: the effects on the branch and on files, so that no data is lost.
import { invalidParam, ToolError } from '../../../errors.ts'
import { assertGitSucceeded } from '../../../host/git/errors.ts'
import type { Repository } from '../../../host/git/repository.ts'
import { readHeadRef, resolveCommit } from '../../../host/git/update-branch.ts'
import { branchNameError, HEADS } from '../../../text/ref-name.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import { COMMITTED_FLAGS, type CommittedFile, committedFiles } from './committed-files.ts'
import { resolveRepository } from './repository-target.ts'
import { resolveRange } from './revisions.ts'

export interface BranchInput {
  path?: string
  name: string
  create?: boolean
  start?: string
  switch?: boolean
}

export interface BranchPlan {
  repository: Repository
  name: string
  /** Full name. */
  ref: string
  creates: boolean
  /** Its current or new commit; undefined before the first commit. */
  oid: string | undefined
  switches: boolean
  /** The current checkout. */
  from: { branch: string | undefined; oid: string | undefined }
  /** Files that would change in the working tree. */
  files: CommittedFile[]
}

export async function planBranch(input: BranchInput, ctx: ReadContext): Promise<BranchPlan> {
  const { git } = ctx.host
  const { name, create = false, switch: switches = false } = input
  const error = branchNameError(name)
  if (error !== undefined) throw invalidParam('name', `${error}; valid names are, for example, main or fix/login.`)
  const { repository } = await resolveRepository(ctx, input.path)
  const ref = HEADS + name
  const there = await resolveCommit(git, repository, ref)
  if (create && there !== undefined)
    throw new ToolError('CONFLICT', `The branch ${name} already exists, at ${there.slice(0, 12)}.`, {
      name,
      oid: there
    })
  if (!create && there === undefined)
    throw invalidParam(
      'name',
      `${JSON.stringify(name)} is not a branch of this repository; set \`create\` to create the branch.`
    )
  const from = { branch: await readHeadRef(git, repository), oid: await resolveCommit(git, repository, 'HEAD') }
  const oid = create ? await resolveStart(input, repository, from.oid, ctx) : there
  if (oid === undefined && !switches)
    throw new ToolError(
      'CONFLICT',
      'The repository has no commits yet, so a branch cannot be created without a switch: commit first, or also set `switch`.'
    )
  const files = switches ? await assertNoLoss({ repository, ref, from, oid }, ctx) : []
  return { repository, name, ref, creates: create, oid, switches, from, files }
}

async function resolveStart(
  { start }: BranchInput,
  repository: Repository,
  head: string | undefined,
  ctx: ReadContext
) {
  if (start === undefined) return head
  const { dots, to } = await resolveRange(start, 'start', repository, ctx)
  if (dots !== '') throw invalidParam('start', 'must be a single revision, not a range.')
  return to
}

/** Returns the files that would change. Throws if any of them has local changes, or would overwrite an untracked file. */
async function assertNoLoss(
  { repository, ref, from, oid }: Pick<BranchPlan, 'repository' | 'ref' | 'from' | 'oid'>,
  ctx: ReadContext
) {
  repository.assertNotBare('to switch')
  const { inProgressOperation } = repository
  if (inProgressOperation !== undefined && inProgressOperation !== 'bisect')
    throw new ToolError(
      'CONFLICT',
      `A ${inProgressOperation} is in progress. Finish it first, for example with \`git ${inProgressOperation} --abort\` in shell_exec.`,
      { operation: inProgressOperation }
    )
  await assertNotCheckedOutElsewhere(ref, repository, ctx)
  const files =
    from.oid === undefined || oid === undefined || from.oid === oid
      ? []
      : await changedFiles(from.oid, oid, repository, ctx)
  if (files.length > MAX_FILES) throw tooManyChangesError(`${files.length} files would change`)
  const changed = await locallyChangedPaths(repository, ctx)
  const lost = files.filter(({ path, operation }) => {
    const name = requireWorkspacePath(path, repository)
    return changed.has(path) || (operation === 'added' && ctx.host.files.peekLiteral(name).kind !== 'missing')
  })
  if (lost.length === 0) return files
  const names = lost.map(({ path }) => requireWorkspacePath(path, repository))
  throw new ToolError(
    'CONFLICT',
    `Local changes would be lost: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ' …' : ''}. Commit the changes, or stash them with \`git stash\` in shell_exec.`,
    { files: names }
  )
}

const MAX_FILES = 2_000
export const MAX_CHECKOUT_BYTES = 64 * 1024 * 1024

const tooManyChangesError = (what: string) =>
  new ToolError('TOO_LARGE', `${what}, which exceeds the limit: use \`git switch\` in shell_exec.`)

async function assertNotCheckedOutElsewhere(ref: string, repository: Repository, { host }: ReadContext) {
  const args = ['for-each-ref', '--format=%(worktreepath)%00%(HEAD)', ref]
  const { stdout, ...ended } = await host.git.run(repository, { args })
  assertGitSucceeded(ended, 'check whether the branch is checked out', repository)
  const [place = '', head = ''] = stdout.toString('utf8').trimEnd().split('\0')
  if (place === '' || head === '*') return
  throw new ToolError('CONFLICT', 'The branch is checked out in another working tree.')
}

async function changedFiles(
  from: string,
  to: string,
  repository: Repository,
  { host }: ReadContext
): Promise<CommittedFile[]> {
  const result = await host.git.run(repository, { args: ['diff-tree', ...COMMITTED_FLAGS, from, to, '--'] })
  assertGitSucceeded(result, 'determine the changes', repository)
  return committedFiles(result.stdout.toString('utf8'))
}

/** Returns the paths with local changes, staged or not. */
async function locallyChangedPaths(repository: Repository, { host }: ReadContext): Promise<Set<string>> {
  const flags = ['--porcelain=v2', '-z', '--untracked-files=no', '--ignore-submodules=dirty', '--no-renames']
  const result = await host.git.run(repository, { args: ['status', ...flags] })
  assertGitSucceeded(result, 'determine the local changes', repository)
  const paths = result.stdout
    .toString('utf8')
    .split('\0')
    .flatMap(record => /^(?:1 (?:\S+ ){7}|u (?:\S+ ){9})(.*)$/s.exec(record)?.[1] ?? [])
  return new Set(paths)
}

/** Rejects paths outside the workspace, which a call must not change. */
export function requireWorkspacePath(path: string, repository: Repository): string {
  const name = repository.toWorkspacePath(path)
  if (name !== undefined) return name
  throw new ToolError('CONFLICT', 'Files outside the workspace would change. Run `git switch` yourself.')
}
