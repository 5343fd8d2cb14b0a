// What a commit would be: exactly these files as they are now, on top of what is checked out. It is made beside the
// repository, so that what an approver is shown is the very tree that is committed.

import { invalidParam, ToolError } from '../../../errors.ts'
import { refuseFailed } from '../../../host/git/errors.ts'
import type { Repository } from '../../../host/git/git.ts'
import { type Draft, refuseFilters } from '../../../host/git/temporary-tree.ts'
import { checkedOut, standsAt } from '../../../host/git/update-branch.ts'
import { foldersAbove } from '../../../text/ancestors.ts'
import { messageFault, tidyMessage } from '../../../text/commit-message.ts'
import type { Context } from '../../../tool/tool.ts'
import { COMMITTED_FLAGS, type CommittedFile, committedFiles } from './committed-files.ts'
import { identities } from './identity.ts'

/** More of a diff is not shown; the decision is bound to all of it. */
const MAX_DIFF = 4 * 1024 * 1024

interface CommitInput {
  message: string
  files: string[]
}

export interface CommitPlan {
  repository: Repository
  /** By its full name; undefined where none is checked out. */
  branch: string | undefined
  /** Undefined where nothing is committed yet. */
  parent: string | undefined
  tree: string
  message: string
  author: string
  committer: string
  /** What of it was named, by the repository's paths. */
  named: string[]
  files: CommittedFile[]
  diff: string
  diff_cut: boolean
  /** Named, and as they were. */
  unchanged: string[]
  /** New, though git is told to ignore them. */
  ignored: string[]
}

/** Reads alone; the files may be any that the caller may name. */
export async function planCommit(input: CommitInput, ctx: Context): Promise<CommitPlan> {
  const message = messageOf(input)
  const { repository, named } = await namedFiles(input.files, ctx)
  refuseOperation(repository)
  const [branch, parent, who] = await Promise.all([
    checkedOut(ctx.host.git, repository),
    standsAt(ctx.host.git, repository, 'HEAD'),
    identities(repository, ctx),
    refuseUnfit(named, repository, ctx)
  ])
  const draft = await ctx.host.git.draft(repository)
  try {
    const tree = await draft.tree(parent, named)
    const before = await treeOf(parent, draft)
    const files = committedFiles((await draft.look(['diff-tree', ...COMMITTED_FLAGS, before, tree])).toString('utf8'))
    const changed = new Set(files.map(({ path }) => path))
    const unchanged = named.filter(file => !changed.has(file))
    refuseMissing(unchanged, repository, ctx)
    if (files.length === 0)
      throw new ToolError('CONFLICT', 'There is nothing to commit: these files are as they were committed last.', {
        unchanged: unchanged.map(file => repository.outside(file))
      })
    const diff = await draft.look(['diff-tree', '-p', '-r', '-M', '--no-ext-diff', '--no-textconv', before, tree])
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
      diff: cut(diff),
      diff_cut: diff.length > MAX_DIFF,
      unchanged,
      ignored: await ignoredAmong(added, repository, ctx)
    }
  } finally {
    await draft.remove()
  }
}

function messageOf({ message }: CommitInput): string {
  const fault = messageFault(message)
  if (fault !== undefined) throw invalidParam('message', `${fault}; say what the commit changes, and why.`)
  return tidyMessage(message)!
}

/** The files by the repository's paths, and the repository that is nearest to all of them. */
async function namedFiles(given: readonly string[], ctx: Context) {
  const named = new Set<string>()
  const nearest = new Map<string, Repository>()
  let common: Repository | undefined
  for (const [i, name] of given.entries()) {
    const { path, kind } = ctx.host.files.peekEntry(name)
    // A submodule's folder belongs to the repository that holds it.
    const folder = foldersAbove(path).at(-1) ?? '.'
    const repository = nearest.get(folder) ?? (await ctx.host.git.repository(folder))
    nearest.set(folder, repository)
    repository.refuseBare('to commit from')
    if (common && common.git_dir !== repository.git_dir)
      throw invalidParam(`files/${i}`, `is in another repository than ${given[0]}: commit in one repository at a time.`)
    common ??= repository
    const inside = repository.inside(path)
    if (kind === 'directory' && !(await isSubmodule(inside, repository, ctx)))
      throw new ToolError(
        'NOT_A_FILE',
        `${name} is a folder: name the files in it, as git_status with untracked "files" lists them.`,
        { path: name }
      )
    named.add(inside)
  }
  return { repository: common!, named: [...named] }
}

async function isSubmodule(file: string, repository: Repository, { host }: Context): Promise<boolean> {
  if (file === '') return false
  const { stdout, ...ended } = await host.git.run(repository, { args: ['ls-files', '--stage', '-z', '--', file] })
  refuseFailed(ended, 'tell what is staged', repository)
  return stdout.toString('utf8').startsWith('160000 ')
}

function refuseOperation({ operation }: Repository) {
  if (operation === undefined || operation === 'bisect') return
  throw new ToolError(
    'CONFLICT',
    `In the middle of a ${operation} a commit holds all that is staged, not single files: end it by shell_exec, with \`git ${operation} --continue\` or \`git ${operation} --abort\`.`,
    { operation }
  )
}

/** What git would store otherwise than it is, or not at all. */
async function refuseUnfit(named: readonly string[], repository: Repository, { host }: Context) {
  const listed = await host.git.run(repository, { args: ['ls-files', '-t', '--stage', '-z', '--', ...named] })
  refuseFailed(listed, 'tell what is staged', repository)
  for (const record of listed.stdout.toString('utf8').split('\0')) {
    const [, tag, path = ''] = /^(\S) .*?\t(.*)$/s.exec(record) ?? []
    const shown = repository.outside(path)
    if (tag === 'M') throw new ToolError('CONFLICT', `${shown} is in conflict: resolve it first.`, { path: shown })
    if (tag === 'S' && host.files.peekEntry(shown ?? '.').kind === 'missing')
      throw new ToolError('CONFLICT', `${shown} is left out of this sparse checkout, so it is not gone.`, {
        path: shown
      })
  }
  const args = ['check-attr', '-z', '--stdin', 'filter']
  const filtered = await host.git.run(repository, { args, stdin: named.map(file => `${file}\0`).join('') })
  refuseFailed(filtered, 'read the attributes', repository)
  refuseFilters(filtered.stdout.toString('utf8'))
}

/** A file that is neither there nor in the last commit was named by mistake. */
function refuseMissing(unchanged: readonly string[], repository: Repository, { host }: Context) {
  for (const file of unchanged) {
    const path = repository.outside(file)!
    if (host.files.peekEntry(path).kind === 'missing')
      throw new ToolError('FILE_NOT_FOUND', `${path} is neither there nor in the last commit.`, { path })
  }
}

async function treeOf(commit: string | undefined, draft: Draft): Promise<string> {
  if (commit === undefined) return draft.tree(undefined, [])
  return (await draft.look(['rev-parse', '--verify', `${commit}^{tree}`])).toString('latin1').trim()
}

/** What `check-ignore` ends with where none is. */
const NONE_IGNORED = 1

async function ignoredAmong(files: readonly string[], repository: Repository, { host }: Context): Promise<string[]> {
  if (files.length === 0) return []
  // It knows no literal names, so none is to look like anything else.
  const told = await host.git.run(repository, {
    args: ['check-ignore', '-z', '--stdin', '--no-index'],
    stdin: files.map(file => `./${file}\0`).join(''),
    env: { GIT_LITERAL_PATHSPECS: '0' }
  })
  if (told.code !== NONE_IGNORED) refuseFailed(told, 'tell what is ignored', repository)
  return told.stdout
    .toString('utf8')
    .split('\0')
    .flatMap(file => (file === '' ? [] : [file.slice(2)]))
}

function cut(diff: Buffer): string {
  if (diff.length <= MAX_DIFF) return diff.toString('utf8')
  return `${diff.subarray(0, diff.lastIndexOf('\n', MAX_DIFF) + 1).toString('utf8')}`
}
