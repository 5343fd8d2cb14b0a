import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import { assertGitSucceeded } from '../../host/git/errors.ts'
import type { Repository } from '../../host/git/repository.ts'
import { validateRevision } from '../../host/git/validate-revision.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import { Commit, FORMAT_FLAGS, formatCommit, parseCommits } from './lib/commit-format.ts'
import { DiffOutput, DiffParams, differences, formatDifferences } from './lib/diffs.ts'
import {
  listRequest,
  PATH_DESCRIPTION,
  RepositoryFolder,
  type RepositoryTarget,
  resolveRepository
} from './lib/repository-target.ts'
import { FileContent, readFileContent, requirePathInWorkspace, splitName } from './lib/revision-file.ts'
import { type GitObject, noSuchObjectError, resolveObjects } from './lib/revisions.ts'
import { formatTags, Tag, tagsFrom } from './lib/show-tag.ts'
import { parseTree, TreeEntry } from './lib/tree-entries.ts'

const Input = Type.Object(
  {
    rev: Type.String({
      description:
        'Commit (HEAD, main~2, abc123), tag, `REVISION:PATH` with a repository-relative path, or `:PATH` for a staged file.'
    }),
    path: Type.Optional(Type.String({ description: PATH_DESCRIPTION })),
    ...DiffParams
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Output = Type.Object({
  repository: RepositoryFolder,
  kind: Type.Enum(['commit', 'tree', 'file'], {
    description: 'Type of the object that is shown; a tag is resolved to its object.'
  }),
  oid: Type.String({ description: 'Id of the object.' }),
  tags: Type.Optional(Type.Array(Tag, { description: 'Tags that were resolved, the tag in `rev` first.' })),
  commit: Type.Optional(Commit),
  changes: Type.Optional(Type.Object(DiffOutput, { description: 'Changes of the commit against its first parent.' })),
  path: Type.Optional(Type.String({ description: 'Path of the file or folder, relative to the workspace root.' })),
  entries: Type.Optional(Type.Array(TreeEntry, { description: 'Entries of the folder.' })),
  file: Type.Optional(FileContent),
  total: Type.Optional(Type.Integer({ description: 'Number of entries of the folder.' })),
  truncated: Type.Boolean({ description: 'True if there are more files, entries or lines.' }),
  next_offset: Type.Optional(Type.Integer({ description: '`offset` for the next page of files, entries or lines.' }))
})
type Output = Static<typeof Output>

/** The empty tree, against which a root commit is compared, by the length of ids. */
const EMPTY_TREE_OID: Readonly<Record<number, string>> = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
}
const MAX_COMMIT = 8 * 1024 * 1024
const DEFAULT_ENTRIES = 1_000

export default defineTool({
  name: 'git_show',
  category: 'git',
  description: 'Shows a commit with its changes, a tag, or a file or folder at a revision.',
  input: Input,
  output: Output,
  timeout_ms: 60_000,
  effect: 'read',
  traits: { idempotent: true },
  request: ({ path }) => listRequest(path),
  async plan({ rev, path }, ctx) {
    const name = splitName(validateRevision(rev, 'rev'))
    if (name.path === undefined) return { state: undefined }
    const { repository } = await resolveRepository(ctx, path)
    const file = requirePathInWorkspace(name.path, repository)
    return { state: undefined, paths: [{ path: file, access: 'read', entry: true }] }
  },
  run: (input, ctx) => showRevision(input, ctx),
  present(output, input) {
    const { truncated } = output
    return {
      title: `Show ${input.rev}`,
      content: formatOutput(output, input).join('\n'),
      ...(truncated && { truncated })
    }
  }
})

async function showRevision(input: Input, ctx: RunContext): Promise<Output> {
  const name = splitName(validateRevision(input.rev, 'rev'))
  const location = await resolveRepository(ctx, input.path)
  const { repository } = location
  const [object] = await resolveObjects([input.rev], repository, ctx)
  if (!object) throw noSuchObjectError('rev', input.rev)
  if (name.path !== undefined && !(await isPathOfCommit({ ...name, path: name.path }, object, repository, ctx)))
    throw invalidParam(
      'rev',
      'must be REVISION:PATH with a commit, or :PATH for the index; the id of a tree or file is not accepted.'
    )
  const { tags, target } = await tagsFrom(object, repository, ctx)
  const head = { repository: repository.path, oid: target.oid, ...(tags.length > 0 && { tags }) }
  if (target.type === 'commit') return { ...head, ...(await showCommit(target, location, input, ctx)) }
  if (name.path === undefined)
    throw invalidParam(
      'rev',
      `${JSON.stringify(input.rev)} is a ${target.type === 'tree' ? 'folder' : 'file'} without its name: use REVISION:PATH.`
    )
  const path = requirePathInWorkspace(name.path, repository)
  if (target.type === 'tree') return { ...head, path, ...(await showTree(target, name.path, location, input, ctx)) }
  const { file, ...page } = await readFileContent(target, repository, input, ctx)
  return { ...head, kind: 'file', path, file, ...page }
}

/** Matches a name that git takes for the object id in it, as `git describe` prints it, whatever precedes it. */
const DESCRIBED_ID = /-g[0-9a-f]{4,}$/i

/** Returns true if the object is what the path denotes in a commit or the index: what is read is judged by that path. */
async function isPathOfCommit(
  { revision, path }: { revision: string; path: string },
  { oid }: GitObject,
  repository: Repository,
  ctx: RunContext
): Promise<boolean> {
  if (DESCRIBED_ID.test(path)) return false
  if (revision.startsWith(':')) return true
  const [commit] = await resolveObjects([`${revision}^{commit}`], repository, ctx)
  const [named] = commit ? await resolveObjects([`${commit.oid}:${path}`], repository, ctx) : []
  return named?.oid === oid
}

async function showCommit({ oid }: GitObject, location: RepositoryTarget, input: Input, ctx: RunContext) {
  const { repository } = location
  const args = ['log', ...FORMAT_FLAGS, '--max-count=1', '--no-walk', oid, '--']
  const { stdout, ...ended } = await ctx.host.git.run(repository, { args, max_bytes: MAX_COMMIT })
  assertGitSucceeded(ended, 'read the commit', repository)
  const commit = parseCommits(stdout.toString('utf8'))[0]?.commit
  if (!commit) throw new ToolError('EXECUTION_ERROR', `git reports nothing about ${oid}.`)
  const before = commit.parents[0] ?? EMPTY_TREE_OID[oid.length]!
  const changes = await differences([before, oid], location, input, ctx)
  const { truncated, next_offset } = changes
  return { kind: 'commit' as const, commit, changes, truncated, ...(next_offset !== undefined && { next_offset }) }
}

async function showTree(
  { oid }: GitObject,
  inside: string,
  { repository }: { repository: Repository },
  input: Input,
  ctx: RunContext
) {
  const { limit = DEFAULT_ENTRIES, offset = 0 } = input
  const args = ['ls-tree', '-z', '--long', '--full-tree', oid]
  const { stdout, ...ended } = await ctx.host.git.run(repository, { args })
  assertGitSucceeded(ended, 'list the folder', repository)
  const prefix = inside === '' ? '' : `${inside.replace(/\/+$/, '')}/`
  const all = parseTree(stdout).flatMap(({ name, ...entry }) => {
    const path = repository.toWorkspacePath(prefix + name)
    return path === undefined ? [] : [{ ...entry, path }]
  })
  const entries = all.slice(offset, offset + limit)
  const next = offset + entries.length
  const truncated = next < all.length
  return { kind: 'tree' as const, entries, total: all.length, truncated, ...(truncated && { next_offset: next }) }
}

function formatOutput(
  { tags = [], commit, changes, entries, file, path, next_offset }: Output,
  { offset = 0 }: Input
): string[] {
  const lines = formatTags(tags)
  if (commit && changes) lines.push(...formatCommit(commit), '', ...formatDifferences(changes, offset))
  if (entries)
    lines.push(
      `${path}/`,
      ...truncateLines(
        entries.map(
          entry => `${entry.mode} ${entry.type} ${entry.path}${entry.size === undefined ? '' : `\t${entry.size}`}`
        )
      )
    )
  if (file?.binary) lines.push(`${path} is not a text file; it has ${file.size} bytes.`)
  else if (file) lines.push(...truncateLines((file.content ?? '').replace(/\n$/, '').split('\n')))
  if (next_offset !== undefined && !changes) lines.push(`(There is more; continue with offset ${next_offset}.)`)
  return lines
}
