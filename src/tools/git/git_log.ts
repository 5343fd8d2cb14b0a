import { type Static, Type } from 'typebox'
import { invalidParam } from '../../errors.ts'
import { assertGitSucceeded } from '../../host/git/errors.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import { Commit, FORMAT_FLAGS, formatCommit, parseCommits } from './lib/commit-format.ts'
import { DIFF_FILE_FIELDS, DiffFiles } from './lib/diff-files.ts'
import {
  assertPathKnown,
  listRequest,
  PATH_DESCRIPTION,
  RepositoryFolder,
  type RepositoryTarget,
  resolveRepository
} from './lib/repository-target.ts'
import { formatRevisionRange, resolveRange } from './lib/revisions.ts'

const DEFAULT_LIMIT = 50
const MAX_BYTES = 32 * 1024 * 1024

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description }))

const Input = Type.Object(
  {
    path: Type.Optional(Type.String({ description: `${PATH_DESCRIPTION} A file is followed through renames.` })),
    rev: Type.Optional(Type.String({ description: 'Revision, or a range such as `main..topic`. Default: HEAD.' })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 5_000,
        description: `Maximum commits. Default: ${DEFAULT_LIMIT}.`
      })
    ),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: 'next_offset of the previous page.' })),
    all: Type.Optional(Type.Boolean({ description: 'Include all branches and tags.' })),
    author: text("Filter: part of the author's name or email."),
    message: text('Filter: part of the message, case-insensitive.'),
    since: text('Commits after this time: ISO 8601 (default zone: UTC), or words such as `2 weeks ago`.'),
    until: text('Commits before this time; a date without a time excludes the day.'),
    files: Type.Optional(Type.Boolean({ description: 'Include changed files.' }))
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const File = Type.Object(DIFF_FILE_FIELDS)

const Output = Type.Object({
  repository: RepositoryFolder,
  commits: Type.Array(
    Type.Object({
      ...Commit.properties,
      files: Type.Optional(
        Type.Array(File, { description: 'Changed files against the first parent, if `files` was requested.' })
      ),
      files_truncated: Type.Optional(
        Type.Boolean({ description: 'True if the commit changed more files than are listed.' })
      )
    }),
    { description: 'Commits, newest first.' }
  ),
  shallow: Type.Optional(Type.Boolean({ description: 'True if the clone is shallow, so older commits are missing.' })),
  truncated: Type.Boolean({ description: 'True if there are more commits.' }),
  next_offset: Type.Optional(Type.Integer({ description: '`offset` for the next page.' }))
})
type Output = Static<typeof Output>

/** Maximum number of files per commit. */
const MAX_FILES = 1_000

export default defineTool({
  name: 'git_log',
  category: 'git',
  description: 'Lists commits, newest first.',
  input: Input,
  output: Output,
  timeout_ms: 60_000,
  effect: 'read',
  traits: { idempotent: true },
  request: ({ path }) => listRequest(path),
  run: (input, ctx) => listCommits(input, ctx),
  present({ commits, truncated, next_offset, shallow }, { offset = 0 }) {
    const lines = truncateLines(commits.flatMap(commit => [...formatCommit(commit), ...formatFiles(commit.files), '']))
    if (commits.length === 0) lines.push(offset > 0 ? 'No more commits.' : 'No commits.')
    if (truncated)
      lines.push(`(Commits ${offset + 1} to ${offset + commits.length}; continue with offset ${next_offset}.)`)
    if (shallow && !truncated) lines.push('(The clone is shallow: older commits are missing.)')
    return { title: `Log: ${commits.length} commits`, content: lines.join('\n'), ...(truncated && { truncated }) }
  }
})

async function listCommits(input: Input, ctx: RunContext): Promise<Output> {
  const { limit = DEFAULT_LIMIT, offset = 0, rev } = input
  const target = await resolveRepository(ctx, input.path)
  const { repository } = target
  const range = rev === undefined ? undefined : await resolveRange(rev, 'rev', repository, ctx)
  const follow = isFile(target, ctx)
  // With --follow git also counts commits that it would not have shown.
  const skipped = follow ? 0 : offset
  const wanted = offset - skipped + limit
  const args = [
    ...['log', ...FORMAT_FLAGS, `--max-count=${wanted + 1}`, `--skip=${skipped}`, ...(follow ? ['--follow'] : [])],
    ...filterArgs(input),
    ...(input.files ? FILES : []),
    ...(range ? [formatRevisionRange(range)] : []),
    ...['--', ...target.pathspecs]
  ]
  const { stdout, ...ended } = await ctx.host.git.run(repository, { args, max_bytes: MAX_BYTES })
  const isUnborn =
    ended.code !== 0 && rev === undefined && /does not have any commits yet|bad default revision/.test(ended.stderr)
  if (!isUnborn) assertGitSucceeded(ended, 'read the history', repository)
  const found = parseCommits(stdout.toString('utf8'))
  if (found.length === 0) await assertPathKnown(target, ctx)
  const commits = found
    .slice(offset - skipped, wanted)
    .map(({ commit, after }) => (input.files ? { ...commit, ...parseFiles(after, target) } : commit))
  const truncated = found.length > wanted
  return {
    repository: repository.path,
    commits,
    ...(repository.isShallow && { shallow: true }),
    truncated,
    ...(truncated && { next_offset: offset + limit })
  }
}

const FILES = [
  '--raw',
  '--numstat',
  '--diff-merges=first-parent',
  '--find-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=dirty'
]

function filterArgs({ all, author, message, since, until }: Input): string[] {
  return [
    ...(all ? ['--all'] : []),
    ...(author === undefined && message === undefined ? [] : ['--fixed-strings', '--regexp-ignore-case']),
    ...(author === undefined ? [] : [`--author=${requireSingleLine(author, 'author')}`]),
    ...(message === undefined ? [] : [`--grep=${requireSingleLine(message, 'message')}`]),
    ...(since === undefined ? [] : [`--since=${normalizeDate(since, 'since')}`]),
    ...(until === undefined ? [] : [`--until=${normalizeDate(until, 'until')}`])
  ]
}

function requireSingleLine(value: string, param: string): string {
  if (value.includes('\0') || value.includes('\n')) throw invalidParam(param, 'must be one line of text without NUL.')
  return value
}

/** Git completes a date without a time with the current time of day, and a time without a zone with the local one. */
function normalizeDate(value: string, param: string): string {
  const [, date, minute = '00:00', second = ':00'] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?)?$/.exec(value) ?? []
  return date === undefined ? requireSingleLine(value, param) : `${date}T${minute}${second}Z`
}

/** --follow supports only a single file. */
const isFile = ({ path, pathspecs }: RepositoryTarget, { host }: RunContext) =>
  pathspecs.length === 1 && host.files.peekEntry(path).kind !== 'directory'

function parseFiles(lines: string, { repository }: RepositoryTarget) {
  const reader = new DiffFiles()
  for (const line of lines.split('\n')) reader.take(line)
  const files = reader.files.flatMap(({ headings: _, path, from, ...file }) => {
    const name = repository.toWorkspacePath(path)
    const was = from === undefined ? undefined : repository.toWorkspacePath(from)
    return name === undefined ? [] : [{ ...file, path: name, ...(was !== undefined && { from: was }) }]
  })
  return { files: files.slice(0, MAX_FILES), ...(files.length > MAX_FILES && { files_truncated: true }) }
}

function formatFiles(files: Static<typeof File>[] = []): string[] {
  return files.map(({ path, from, operation, added, removed, binary }) => {
    const name = from === undefined ? path : `${from} -> ${path}`
    return `  ${operation.replace('_', ' ')}: ${name} (${binary ? 'binary' : `+${added} -${removed}`})`
  })
}
