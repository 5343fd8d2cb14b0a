// Lists the branches of a repository, from `git for-each-ref`.
import { type Static, Type } from 'typebox'
import { assertGitSucceeded } from '../../../host/git/errors.ts'
import type { Repository } from '../../../host/git/repository.ts'
import { readHeadRef } from '../../../host/git/update-branch.ts'
import { HEADS, shortName } from '../../../text/ref-name.ts'
import { truncateLines } from '../../../text/truncate-lines.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import { unixToIso } from './commit-format.ts'

const DEFAULT_LIMIT = 100

export const BranchesParams = {
  remotes: Type.Optional(Type.Boolean({ description: 'Include remote branches, as of the last fetch.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, description: `Maximum branches. Default: ${DEFAULT_LIMIT}.` })
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: 'next_offset of the previous page.' }))
}

interface BranchesInput {
  remotes?: boolean
  limit?: number
  offset?: number
}

export const BranchesOutput = {
  current: Type.Union([Type.String(), Type.Null()], {
    description: 'Current branch; null if HEAD is detached.'
  }),
  branches: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Name of the branch, such as main, or origin/main for a remote branch.' }),
      remote: Type.Boolean({ description: 'True for a remote-tracking branch.' }),
      current: Type.Boolean({ description: 'True if the branch is checked out.' }),
      oid: Type.String({ description: 'Id of the last commit.' }),
      date: Type.Union([Type.String(), Type.Null()], { description: 'Time of the last commit; ISO 8601, UTC.' }),
      author: Type.String({ description: 'Author of the last commit.' }),
      subject: Type.String({ description: 'Subject of the last commit.' }),
      upstream: Type.Optional(Type.String({ description: 'Upstream branch, such as origin/main.' })),
      gone: Type.Optional(Type.Boolean({ description: 'True if the upstream branch no longer exists.' })),
      ahead: Type.Optional(Type.Integer({ description: 'Number of commits that upstream lacks.' })),
      behind: Type.Optional(Type.Integer({ description: 'Number of upstream commits that the branch lacks.' })),
      elsewhere: Type.Optional(
        Type.Boolean({ description: 'True if the branch is checked out in another working tree.' })
      )
    }),
    { description: 'Branches, the one with the most recent commit first.' }
  ),
  truncated: Type.Boolean({ description: 'True if there are more branches.' }),
  next_offset: Type.Optional(Type.Integer({ description: '`offset` for the next page.' }))
}
const Branches = Type.Object(BranchesOutput)
type Branches = Static<typeof Branches>
type Branch = Branches['branches'][number]

const FIELDS = [
  ...['refname', 'HEAD', 'objectname', 'committerdate:unix', 'authorname', 'contents:subject'],
  ...['upstream:short', 'upstream:track,nobracket', 'worktreepath', 'symref']
]
const FORMAT = `--format=${FIELDS.map(field => `%(${field})%00`).join('')}`

export async function listBranches(
  repository: Repository,
  { remotes = false, limit = DEFAULT_LIMIT, offset = 0 }: BranchesInput,
  { host }: ReadContext
): Promise<Branches> {
  const args = ['for-each-ref', FORMAT, '--sort=-committerdate', `--count=${offset + limit + 1}`, HEADS]
  const { stdout, ...ended } = await host.git.run(repository, {
    args: [...args, ...(remotes ? ['refs/remotes/'] : [])]
  })
  assertGitSucceeded(ended, 'list the branches', repository)
  const fields = stdout.toString('utf8').split('\0')
  const found: Branch[] = []
  for (let i = 0; i + FIELDS.length < fields.length; i += FIELDS.length)
    found.push(...parseBranch(fields.slice(i, i + FIELDS.length), repository))
  const truncated = found.length > offset + limit
  const current = await readHeadRef(host.git, repository)
  return {
    current: current === undefined ? null : shortName(current),
    branches: found.slice(offset, offset + limit),
    truncated,
    ...(truncated && { next_offset: offset + limit })
  }
}

function parseBranch(fields: readonly string[], { top }: Repository): Branch[] {
  const [
    refname = '',
    head,
    oid = '',
    seconds = '',
    author = '',
    subject = '',
    upstream = '',
    track = '',
    tree = '',
    symref = ''
  ] = fields
  // Such as origin/HEAD, which is an alias of a branch.
  if (symref !== '') return []
  const [, ahead] = /ahead (\d+)/.exec(track) ?? []
  const [, behind] = /behind (\d+)/.exec(track) ?? []
  const follows = upstream !== '' && track !== 'gone'
  return [
    {
      name: refname.trim().replace(/^refs\/(?:heads|remotes)\//, ''),
      remote: refname.trim().startsWith('refs/remotes/'),
      current: head === '*',
      oid,
      date: unixToIso(seconds),
      author,
      subject,
      ...(upstream !== '' && { upstream }),
      ...(track === 'gone' && { gone: true }),
      ...(follows && { ahead: Number(ahead ?? 0), behind: Number(behind ?? 0) }),
      ...(tree !== '' && tree !== top && { elsewhere: true })
    }
  ]
}

/** Formats the branches for a model: one per line. */
export function formatBranches({ current, branches, truncated, next_offset }: Branches): string[] {
  const lines = branches.map(({ name, current: is, oid, date, subject, upstream, gone, ahead, behind }) => {
    const follows =
      upstream === undefined ? '' : ` [${upstream}: ${gone ? 'gone' : `ahead ${ahead}, behind ${behind}`}]`
    return `${is ? '*' : ' '} ${name} ${oid.slice(0, 12)} ${date?.slice(0, 10) ?? ''}${follows} ${subject}`
  })
  if (branches.length === 0)
    lines.push(current === null ? 'No branches.' : `No branches except ${current}, which has no commits yet.`)
  return [
    ...truncateLines(lines),
    ...(truncated ? [`(There are more branches; continue with offset ${next_offset}.)`] : [])
  ]
}
