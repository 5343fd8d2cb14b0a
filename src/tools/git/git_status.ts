import { type Static, Type } from 'typebox'
import { assertGitSucceeded } from '../../host/git/errors.ts'
import { IN_PROGRESS_OPERATIONS } from '../../host/git/in-progress-operation.ts'
import { pluralize } from '../../text/pluralize.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import { listRequest, PATH_DESCRIPTION, RepositoryFolder, resolveRepository } from './lib/repository-target.ts'
import { CONFLICTS, parseStatus, STATES, STATUS_ENTRY_KINDS, type StatusEntry } from './lib/status-parser.ts'

const DEFAULT_LIMIT = 1_000
/** Maximum output of git for one repository. */
const MAX_BYTES = 64 * 1024 * 1024

const Input = Type.Object(
  {
    path: Type.Optional(Type.String({ description: PATH_DESCRIPTION })),
    untracked: Type.Optional(
      Type.Enum(['folders', 'files', 'none'], {
        description: 'Untracked files: by folder (default), each file, or none.'
      })
    ),
    ignored: Type.Optional(Type.Boolean({ description: 'Include ignored files.' })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: `Maximum entries. Default: ${DEFAULT_LIMIT}.`
      })
    ),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: 'next_offset of the previous page.' }))
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const State = Type.Enum([...STATES], {
  description:
    'State of the file. `index`: index compared with the commit. `worktree`: working tree compared with the index.'
})

const Output = Type.Object({
  repository: RepositoryFolder,
  branch: Type.Object(
    {
      head: Type.Union([Type.String(), Type.Null()], {
        description: 'Branch name; null if HEAD is detached.'
      }),
      oid: Type.Union([Type.String(), Type.Null()], {
        description: 'Id of the current commit; null before the first commit.'
      }),
      detached: Type.Boolean({ description: 'True if HEAD is detached.' }),
      upstream: Type.Optional(Type.String({ description: 'Upstream branch, such as origin/main.' })),
      ahead: Type.Optional(
        Type.Integer({ description: 'Number of local commits that upstream lacks, as of the last fetch.' })
      ),
      behind: Type.Optional(
        Type.Integer({ description: 'Number of upstream commits that are missing locally, as of the last fetch.' })
      )
    },
    { description: 'Checked out branch or commit.' }
  ),
  operation: Type.Optional(
    Type.Enum([...IN_PROGRESS_OPERATIONS], { description: 'Operation in progress, such as a merge.' })
  ),
  entries: Type.Array(
    Type.Object({
      path: Type.String({
        description: 'Path, relative to the workspace root; an untracked folder ends with a slash.'
      }),
      from: Type.Optional(Type.String({ description: 'Old path of a renamed or copied file.' })),
      kind: Type.Enum([...STATUS_ENTRY_KINDS], { description: 'Status of the entry.' }),
      index: State,
      worktree: State,
      conflict: Type.Optional(Type.Enum([...CONFLICTS], { description: 'Changes on both sides of a merge conflict.' })),
      submodule: Type.Optional(
        Type.Object(
          {
            commit_changed: Type.Boolean({ description: 'True if another commit is checked out in the submodule.' }),
            modified: Type.Boolean({ description: 'True if the submodule has changed files, which are not listed.' }),
            untracked: Type.Boolean({ description: 'True if the submodule has untracked files, which are not listed.' })
          },
          {
            description:
              'State of a submodule or of another repository. To list the files in it, call git_status with its path.'
          }
        )
      )
    }),
    { description: 'Entries, sorted by path, tracked files first.' }
  ),
  counts: Type.Object(
    {
      staged: Type.Integer({ description: 'Number of entries that are changed in the index.' }),
      unstaged: Type.Integer({ description: 'Number of entries that are changed in the working tree.' }),
      unmerged: Type.Integer({ description: 'Number of entries in conflict.' }),
      untracked: Type.Integer({ description: 'Number of untracked entries.' }),
      ignored: Type.Integer({ description: 'Number of ignored entries, if requested.' })
    },
    { description: 'Numbers of entries on all pages.' }
  ),
  stashes: Type.Integer({ description: 'Number of stash entries.' }),
  total: Type.Integer({ description: 'Number of entries.' }),
  truncated: Type.Boolean({ description: 'True if there are more entries.' }),
  next_offset: Type.Optional(Type.Integer({ description: '`offset` for the next page.' }))
})
type Output = Static<typeof Output>

const UNTRACKED = { folders: 'normal', files: 'all', none: 'no' } as const

export default defineTool({
  name: 'git_status',
  category: 'git',
  description:
    'Returns the state of a git repository: branch, upstream, staged, changed, untracked and conflicting files.',
  input: Input,
  output: Output,
  timeout_ms: 30_000,
  effect: 'read',
  traits: { idempotent: true },
  request: ({ path }) => listRequest(path),
  run: (input, ctx) => readStatus(input, ctx),
  present(output, { offset = 0 }) {
    const { branch, entries, total, truncated, operation } = output
    const lines = [...formatHeader(output), ...truncateLines(entries.map(formatEntry))]
    if (total === 0) lines.push('No changes.')
    if (truncated)
      lines.push(
        `(Entries ${offset + 1} to ${offset + entries.length} of ${total}; continue with offset ${output.next_offset}.)`
      )
    const title = `${branch.head ?? (branch.oid ?? '').slice(0, 12)}: ${total === 0 ? 'clean' : pluralize(total, 'entry', 'entries')}`
    return { title, content: lines.join('\n'), metadata: { total, operation }, ...(truncated && { truncated }) }
  }
})

async function readStatus(
  { path, untracked = 'folders', ignored = false, limit = DEFAULT_LIMIT, offset = 0 }: Input,
  ctx: RunContext
): Promise<Output> {
  const { repository, pathspecs } = await resolveRepository(ctx, path)
  repository.assertNotBare('to read the status of')
  const args = [
    ...['status', '--porcelain=v2', '-z', '--branch', '--show-stash', '--ahead-behind', '--find-renames'],
    ...['--ignore-submodules=dirty', `--untracked-files=${UNTRACKED[untracked]}`],
    ...(ignored ? ['--ignored=traditional'] : []),
    ...['--', ...pathspecs]
  ]
  const { stdout, ...ended } = await ctx.host.git.run(repository, { args, max_bytes: MAX_BYTES })
  assertGitSucceeded(ended, 'read the status', repository)
  const { head, oid, upstream, ahead, behind, stashes, entries } = parseStatus(stdout)
  const { inProgressOperation } = repository
  const all = entries.flatMap(entry => toOutputEntry(entry, file => repository.toWorkspacePath(file)))
  const shown = all.slice(offset, offset + limit)
  const next = offset + shown.length
  return {
    repository: repository.path,
    branch: {
      head,
      oid,
      detached: head === null,
      ...(upstream !== undefined && { upstream }),
      ...(ahead !== undefined && { ahead }),
      ...(behind !== undefined && { behind })
    },
    ...(inProgressOperation && { operation: inProgressOperation }),
    entries: shown,
    counts: countEntries(all),
    stashes,
    total: all.length,
    truncated: next < all.length,
    ...(next < all.length && { next_offset: next })
  }
}

/** Converts to workspace paths; undefined for entries outside. The source of an entry moved from outside is omitted. */
function toOutputEntry(
  { from, ...entry }: StatusEntry,
  outside: (file: string) => string | undefined
): Output['entries'] {
  const path = outside(entry.path)
  const was = from === undefined ? undefined : outside(from)
  return path === undefined ? [] : [{ ...entry, path, ...(was !== undefined && { from: was }) }]
}

const isChange = (state: string) => state !== 'unmodified' && state !== 'unmerged'

function countEntries(entries: Output['entries']): Output['counts'] {
  const count = (fits: (entry: Output['entries'][number]) => boolean) => entries.filter(fits).length
  return {
    staged: count(({ index }) => isChange(index)),
    unstaged: count(({ worktree }) => isChange(worktree)),
    unmerged: count(({ kind }) => kind === 'unmerged'),
    untracked: count(({ kind }) => kind === 'untracked'),
    ignored: count(({ kind }) => kind === 'ignored')
  }
}

function formatHeader({ branch, operation, stashes }: Output): string[] {
  const { head, oid, upstream, ahead, behind } = branch
  const at = oid === null ? 'no commit yet' : oid.slice(0, 12)
  const distance = ahead === undefined ? 'a branch that no longer exists' : `ahead ${ahead}, behind ${behind}`
  return [
    head === null ? `Detached at ${at}.` : `On branch ${head} (${at}).`,
    ...(upstream === undefined ? [] : [`Tracks ${upstream}, ${distance}.`]),
    ...(operation ? [`${operation} in progress.`] : []),
    ...(stashes > 0 ? [`Stash entries: ${stashes}.`] : [])
  ]
}

function formatEntry({ path, from, kind, index, worktree, conflict, submodule }: Output['entries'][number]): string {
  const name = from === undefined ? path : `${from} -> ${path}`
  const what = submodule ? `${name} (submodule)` : name
  if (kind === 'untracked' || kind === 'ignored') return `${kind}: ${what}`
  if (conflict) return `conflict, ${conflict.replaceAll('_', ' ')}: ${what}`
  return [
    ...(index === 'unmodified' ? [] : [`staged, ${index.replace('_', ' ')}: ${what}`]),
    ...(worktree === 'unmodified' ? [] : [`unstaged, ${worktree.replace('_', ' ')}: ${what}`])
  ].join('\n')
}
