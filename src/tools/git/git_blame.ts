import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import { assertGitSucceeded } from '../../host/git/errors.ts'
import type { Repository } from '../../host/git/repository.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import { type BlameResult, parseBlame } from './lib/blame-parser.ts'
import { unquoteGitPath } from './lib/diff-files.ts'
import { RepositoryFolder, resolveRepository } from './lib/repository-target.ts'
import { resolveRange } from './lib/revisions.ts'

const DEFAULT_LIMIT = 1_000
const MAX_BYTES = 32 * 1024 * 1024

const Input = Type.Object(
  {
    path: Type.String({ description: 'Workspace-relative path.' }),
    lines: Type.Optional(
      Type.Array(
        Type.Object(
          {
            start: Type.Integer({ minimum: 1, description: 'First line, from 1.' }),
            end: Type.Integer({ minimum: 1, description: 'Last line.' })
          },
          { additionalProperties: false }
        ),
        { minItems: 1, maxItems: 50, description: `Ranges of lines. Default: the first ${DEFAULT_LIMIT}.` }
      )
    ),
    rev: Type.Optional(Type.String({ description: 'Revision. Default: the file on disk.' })),
    ignore_whitespace: Type.Optional(Type.Boolean({ description: 'Ignore white space changes.' }))
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Output = Type.Object({
  repository: RepositoryFolder,
  path: Type.String({ description: 'File path, relative to the workspace root.' }),
  ranges: Type.Array(
    Type.Object({
      start: Type.Integer({ description: 'First line, from 1.' }),
      end: Type.Integer({ description: 'Last line.' }),
      oid: Type.String({
        description:
          'Id of the commit that last changed the lines, a key of `commits`. All zeros: the lines are not committed yet.'
      }),
      original_start: Type.Integer({ description: 'Number of the first line in the commit `oid`.' }),
      original_path: Type.Optional(Type.String({ description: 'Path of the file in the commit `oid`, if different.' })),
      text: Type.String({ description: 'Text of the lines.' })
    }),
    { description: 'Groups of lines, in file order.' }
  ),
  commits: Type.Record(
    Type.String(),
    Type.Object({
      author: Type.String({ description: 'Author name.' }),
      email: Type.String({ description: 'Author email.' }),
      date: Type.Union([Type.String(), Type.Null()], {
        description: 'Time at which the author made the commit; ISO 8601, UTC.'
      }),
      subject: Type.String({ description: 'Subject of the commit message.' }),
      boundary: Type.Optional(
        Type.Boolean({
          description: 'True for the oldest commit of a shallow clone: the lines may be older than this commit.'
        })
      )
    }),
    { description: 'Commits by id.' }
  ),
  truncated: Type.Boolean({ description: 'True if the file continues after the returned lines.' }),
  next_line: Type.Optional(Type.Integer({ description: 'Number of the first line that is not returned.' }))
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'git_blame',
  category: 'git',
  description: 'Returns commit, author and time of each line of a file.',
  input: Input,
  output: Output,
  timeout_ms: 60_000,
  effect: 'read',
  traits: { idempotent: true },
  request: ({ path }) => ({ paths: [{ path, access: 'read', entry: true }] }),
  run: (input, ctx) => runBlame(input, ctx),
  present({ path, ranges, commits, truncated, next_line }) {
    const lines = ranges.flatMap(({ start, oid, text }) => {
      const { author = '', date } = commits[oid] ?? {}
      const who = `${oid.slice(0, 10)} ${author} ${date?.slice(0, 10) ?? ''}`
      return text
        .replace(/\n$/, '')
        .split('\n')
        .map((line, i) => `${start + i}\t${who}\t${line}`)
    })
    const subjects = Object.entries(commits).map(([oid, { subject }]) => `${oid.slice(0, 10)} ${subject}`)
    if (ranges.length === 0) lines.push('The file has no lines.')
    return {
      title: `Blame ${path}`,
      content: [
        ...truncateLines(lines),
        ...(truncated ? [`(The file continues; request lines from ${next_line}.)`] : []),
        '',
        ...truncateLines(subjects)
      ].join('\n'),
      ...(truncated && { truncated })
    }
  }
})

async function runBlame({ path, lines, rev, ignore_whitespace }: Input, ctx: RunContext): Promise<Output> {
  for (const { start, end } of lines ?? [])
    if (end < start) throw invalidParam('lines', `has an \`end\` (${end}) that is before \`start\` (${start}).`)
  const target = await resolveRepository(ctx, path)
  const { repository } = target
  if (rev === undefined) repository.assertNotBare('with files; give `rev`')
  const at = rev === undefined ? undefined : await resolveRange(rev, 'rev', repository, ctx)
  if (at?.dots) throw invalidParam('rev', 'must be a single revision, not a range.')
  // One line more reveals if there are further ones.
  const wanted = lines ?? [{ start: 1, end: DEFAULT_LIMIT + 1 }]
  const args = [
    // `blame.ignoreRevsFile` may name any file, whose content appears in git's output; no setting disables it.
    ...['blame', '--porcelain', '--no-textconv', '--no-ignore-revs-file'],
    ...(ignore_whitespace ? ['-w'] : []),
    ...wanted.map(({ start, end }) => `-L${start},${end}`),
    ...(at ? [at.to] : []),
    ...['--', repository.toRepositoryPath(target.path)]
  ]
  const { stdout, ...ended } = await ctx.host.git.run(repository, { args, max_bytes: MAX_BYTES })
  const isEmpty = /has only 0 lines/.test(ended.stderr) && !lines
  if (!isEmpty) assertBlamed(ended, path, repository)
  const found = parseBlame(stdout.toString('utf8'), unquoteGitPath)
  const all = found.runs.map(run => toOutputRange(run, target.path, repository))
  const { ranges, next_line } = lines ? { ranges: all, next_line: undefined } : takeLines(DEFAULT_LIMIT, all)
  return {
    repository: repository.path,
    path: target.path,
    ranges,
    commits: commitsOfRanges(ranges, found),
    truncated: next_line !== undefined,
    ...(next_line !== undefined && { next_line })
  }
}

function assertBlamed(ended: { code: number | null; stderr: string }, path: string, repository: Repository) {
  const { stderr } = ended
  const lines = /has only (\d+) lines?/.exec(stderr)?.[1]
  if (lines !== undefined) throw invalidParam('lines', `is past the end: the file has ${lines} lines.`)
  if (/no such path|cannot stat path|no such ref: HEAD/i.test(stderr))
    throw new ToolError(
      'FILE_NOT_FOUND',
      `${path} is not tracked by the repository, or does not exist at the revision.`,
      {
        path
      }
    )
  assertGitSucceeded(ended, 'read the authors of the lines', repository)
}

function toOutputRange(
  { original_path, ...run }: BlameResult['runs'][number],
  path: string,
  repository: Repository
): Output['ranges'][number] {
  const was = repository.toWorkspacePath(original_path)
  return { ...run, ...(was !== undefined && was !== path && { original_path: was }) }
}

/** Takes the first lines, and the line after them if there is one. */
function takeLines(
  limit: number,
  ranges: Output['ranges']
): { ranges: Output['ranges']; next_line: number | undefined } {
  const last = ranges.at(-1)
  if (!last || last.end <= limit) return { ranges, next_line: undefined }
  if (last.start > limit) return { ranges: ranges.slice(0, -1), next_line: limit + 1 }
  const text = last.text
    .split(/(?<=\n)/)
    .slice(0, -1)
    .join('')
  return { ranges: [...ranges.slice(0, -1), { ...last, end: limit, text }], next_line: limit + 1 }
}

function commitsOfRanges(ranges: Output['ranges'], { commits }: BlameResult): Output['commits'] {
  const oids = new Set(ranges.map(({ oid }) => oid))
  return Object.fromEntries(Object.entries(commits).filter(([oid]) => oids.has(oid)))
}
