// Plans a commit: exactly these files in their current state, on top of the current checkout. It is prepared outside the
// repository, so that the tree shown to an approver is the one that is committed.

import { invalidParam, ToolError } from '../../../errors.ts'
import { assertGitSucceeded } from '../../../host/git/errors.ts'
import type { Repository } from '../../../host/git/repository.ts'
import { assertNoFilters, type TemporaryTree } from '../../../host/git/temporary-tree.ts'
import { readHeadRef, resolveCommit } from '../../../host/git/update-branch.ts'
import { listAncestors } from '../../../text/ancestors.ts'
import { messageError, tidyMessage } from '../../../text/commit-message.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import { COMMITTED_FLAGS, type CommittedFile, committedFiles } from './committed-files.ts'
import { canRevealFile } from './diffs.ts'
import { identities } from './identity.ts'

/** Longer diffs are truncated for display; the decision is bound to all of it. */
const MAX_DIFF = 4 * 1024 * 1024

interface CommitInput {
  message: string
  files: string[]
}

export interface CommitPlan {
  repository: Repository
  /** Full name; undefined for a detached HEAD. */
  branch: string | undefined
  /** Undefined before the first commit. */
  parent: string | undefined
  tree: string
  message: string
  author: string
  committer: string
  /** Named files, as repository paths. */
  named: string[]
  files: CommittedFile[]
  /** Files whose content the caller may not read without approval, as repository paths: the diff leaves them out. */
  withheld: string[]
  diff: string
  diffTruncated: boolean
  /** Named files without changes. */
  unchanged: string[]
  /** New files that are ignored by git. */
  ignored: string[]
}

/** Read-only; the files may be any that the caller may name. */
export async function planCommit(input: CommitInput, ctx: ReadContext): Promise<CommitPlan> {
  const message = requireMessage(input)
  const { repository, named } = await namedFiles(input.files, ctx)
  assertNoOperation(repository)
  const [branch, parent, who] = await Promise.all([
    readHeadRef(ctx.host.git, repository),
    resolveCommit(ctx.host.git, repository, 'HEAD'),
    identities(repository, ctx),
    assertCommittable(named, repository, ctx)
  ])
  const draft = await ctx.host.git.createTemporaryTree(repository)
  try {
    const tree = await draft.writeTree(parent, named)
    const before = await resolveTree(parent, draft)
    const files = committedFiles(
      (await draft.readObjects(['diff-tree', ...COMMITTED_FLAGS, before, tree])).toString('utf8')
    )
    const changed = new Set(files.map(({ path }) => path))
    const unchanged = named.filter(file => !changed.has(file))
    assertExisting(unchanged, repository, ctx)
    if (files.length === 0)
      throw new ToolError(
        'CONFLICT',
        'There is nothing to commit: the given files have no changes since the last commit.',
        {
          unchanged: unchanged.map(file => repository.toWorkspacePath(file))
        }
      )
    const withheld = files.flatMap(({ path }) => (canRevealFile(path, repository, ctx) ? [] : [path]))
    const shown = files.flatMap(({ path }) => (withheld.includes(path) ? [] : [path]))
    const diff = shown.length === 0 ? Buffer.alloc(0) : await readDiff(draft, { before, tree, shown })
    const added = files.flatMap(({ path, operation }) => (operation === 'added' ? [path] : []))
    return {
      repository,
      branch,
      parent,
      tree,
      message,
      ...who,
      named,
      files,
      withheld,
      diff: truncateDiff(diff),
      diffTruncated: diff.length > MAX_DIFF,
      unchanged,
      ignored: await findIgnored(added, repository, ctx)
    }
  } finally {
    await draft.remove()
  }
}

function readDiff(draft: TemporaryTree, { before, tree, shown }: { before: string; tree: string; shown: string[] }) {
  const flags = ['-p', '-r', '-M', '--no-ext-diff', '--no-textconv']
  return draft.readObjects(['diff-tree', ...flags, before, tree, '--', ...shown])
}

function requireMessage({ message }: CommitInput): string {
  const error = messageError(message)
  if (error !== undefined) throw invalidParam('message', `${error}; describe what the commit changes, and why.`)
  return tidyMessage(message)!
}

/** Returns the files as repository paths, and the nearest repository of all of them. */
async function namedFiles(given: readonly string[], ctx: ReadContext) {
  const named = new Set<string>()
  const nearest = new Map<string, Repository>()
  let common: Repository | undefined
  for (const [i, name] of given.entries()) {
    const { path, kind } = ctx.host.files.peekEntry(name)
    // A submodule's folder belongs to the containing repository.
    const folder = listAncestors(path).at(-1) ?? '.'
    const repository = nearest.get(folder) ?? (await ctx.host.git.repository(folder))
    nearest.set(folder, repository)
    repository.assertNotBare('to commit from')
    if (common && common.git_dir !== repository.git_dir)
      throw invalidParam(
        `files/${i}`,
        `is not in the same repository as ${given[0]}: make a separate commit for each repository.`
      )
    common ??= repository
    const inside = repository.toRepositoryPath(path)
    if (kind === 'directory' && !(await isSubmodule(inside, repository, ctx)))
      throw new ToolError(
        'NOT_A_FILE',
        `${name} is a folder: give the paths of the files in it, as listed by git_status with \`untracked\` "files".`,
        { path: name }
      )
    named.add(inside)
  }
  return { repository: common!, named: [...named] }
}

async function isSubmodule(file: string, repository: Repository, { host }: ReadContext): Promise<boolean> {
  if (file === '') return false
  const { stdout, ...ended } = await host.git.run(repository, { args: ['ls-files', '--stage', '-z', '--', file] })
  assertGitSucceeded(ended, 'read the index', repository)
  return stdout.toString('utf8').startsWith('160000 ')
}

function assertNoOperation({ inProgressOperation }: Repository) {
  if (inProgressOperation === undefined || inProgressOperation === 'bisect') return
  throw new ToolError(
    'CONFLICT',
    `A ${inProgressOperation} is in progress, so a commit includes all staged changes, not single files. Finish it in shell_exec with \`git ${inProgressOperation} --continue\` or \`git ${inProgressOperation} --abort\`.`,
    { operation: inProgressOperation }
  )
}

/** Rejects files that git would store differently, or not at all. */
async function assertCommittable(named: readonly string[], repository: Repository, { host }: ReadContext) {
  const listed = await host.git.run(repository, { args: ['ls-files', '-t', '--stage', '-z', '--', ...named] })
  assertGitSucceeded(listed, 'read the index', repository)
  for (const record of listed.stdout.toString('utf8').split('\0')) {
    const [, tag, path = ''] = /^(\S) .*?\t(.*)$/s.exec(record) ?? []
    const shown = repository.toWorkspacePath(path)
    if (tag === 'M')
      throw new ToolError('CONFLICT', `${shown} is in conflict: resolve the conflict first.`, { path: shown })
    if (tag === 'S' && host.files.peekEntry(shown ?? '.').kind === 'missing')
      throw new ToolError(
        'CONFLICT',
        `${shown} is outside the sparse checkout, so it cannot be committed as deleted.`,
        {
          path: shown
        }
      )
  }
  const args = ['check-attr', '-z', '--stdin', 'filter']
  const filtered = await host.git.run(repository, { args, stdin: named.map(file => `${file}\0`).join('') })
  assertGitSucceeded(filtered, 'read the attributes', repository)
  assertNoFilters(filtered.stdout.toString('utf8'))
}

/** A file that exists neither on disk nor in the last commit is a mistake. */
function assertExisting(unchanged: readonly string[], repository: Repository, { host }: ReadContext) {
  for (const file of unchanged) {
    const path = repository.toWorkspacePath(file)!
    if (host.files.peekEntry(path).kind === 'missing')
      throw new ToolError('FILE_NOT_FOUND', `${path} exists neither on disk nor in the last commit.`, { path })
  }
}

async function resolveTree(commit: string | undefined, draft: TemporaryTree): Promise<string> {
  if (commit === undefined) return draft.writeTree(undefined, [])
  return (await draft.readObjects(['rev-parse', '--verify', `${commit}^{tree}`])).toString('latin1').trim()
}

/** Exit code of `check-ignore` if no file is ignored. */
const NONE_IGNORED = 1

async function findIgnored(files: readonly string[], repository: Repository, { host }: ReadContext): Promise<string[]> {
  if (files.length === 0) return []
  // It has no literal pathspecs, so pathspec magic must be avoided.
  const result = await host.git.run(repository, {
    args: ['check-ignore', '-z', '--stdin', '--no-index'],
    stdin: files.map(file => `./${file}\0`).join(''),
    env: { GIT_LITERAL_PATHSPECS: '0' }
  })
  if (result.code !== NONE_IGNORED) assertGitSucceeded(result, 'check which files are ignored', repository)
  return result.stdout
    .toString('utf8')
    .split('\0')
    .flatMap(file => (file === '' ? [] : [file.slice(2)]))
}

function truncateDiff(diff: Buffer): string {
  if (diff.length <= MAX_DIFF) return diff.toString('utf8')
  return `${diff.subarray(0, diff.lastIndexOf('\n', MAX_DIFF) + 1).toString('utf8')}`
}
