// Common parts of diffs between two states of a repository.
import { type Static, Type } from 'typebox'
import { ToolError } from '../../../errors.ts'
import { assertGitSucceeded } from '../../../host/git/errors.ts'
import type { Repository } from '../../../host/git/repository.ts'
import { truncateLines } from '../../../text/truncate-lines.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import { DIFF_FILE_FIELDS, type DiffFile } from './diff-files.ts'
import { type DiffBounds, type DiffText, readDiff } from './git-diff-reader.ts'

const DEFAULT_FILES = 200
const PER_FILE = 128 * 1024
const MAX_TOTAL_DIFF_BYTES = 1024 * 1024

export const DiffParams = {
  stat: Type.Optional(Type.Boolean({ description: 'Only files and line counts.' })),
  context: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, description: 'Context lines. Default: 3.' })),
  ignore_whitespace: Type.Optional(Type.Boolean({ description: 'Ignore white space changes.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, description: `Maximum files. Default: ${DEFAULT_FILES}.` })
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: 'next_offset of the previous page.' }))
}

export interface DiffInput {
  stat?: boolean
  context?: number
  ignore_whitespace?: boolean
  limit?: number
  offset?: number
}

export const DiffOutput = {
  files: Type.Array(
    Type.Object({
      ...DIFF_FILE_FIELDS,
      diff: Type.Optional(Type.String({ description: 'Unified diff of the file; missing if it is omitted.' })),
      diff_truncated: Type.Optional(
        Type.Boolean({
          description: 'True if the diff is truncated. For all of it, request only this file, or less context.'
        })
      )
    }),
    { description: 'Changed files, sorted by path.' }
  ),
  added: Type.Integer({ description: 'Total number of added lines.' }),
  removed: Type.Integer({ description: 'Total number of removed lines.' }),
  left_out: Type.Array(
    Type.Object({
      path: Type.String({ description: 'File path, relative to the workspace root.' }),
      reason: Type.String({ description: 'Reason why the text is omitted.' })
    }),
    { description: 'Files whose text is omitted.' }
  ),
  total: Type.Integer({ description: 'Number of files that differ.' }),
  truncated: Type.Boolean({ description: 'True if there are more files, or if diffs are truncated.' }),
  next_offset: Type.Optional(Type.Integer({ description: '`offset` for the next page.' }))
}
const Differences = Type.Object(DiffOutput)
type Differences = Static<typeof Differences>

const FLAGS = [
  ...[
    '--raw',
    '--numstat',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    '--ignore-submodules=dirty',
    '--submodule=short'
  ],
  ...['--find-renames', '--no-relative', '--src-prefix=a/', '--dst-prefix=b/']
]

/** `sides` are arguments that specify the comparison: `--cached`, ids. */
export async function differences(
  sides: readonly string[],
  { repository, pathspecs }: { repository: Repository; pathspecs: readonly string[] },
  { stat = false, context = 3, ignore_whitespace = false, limit = DEFAULT_FILES, offset = 0 }: DiffInput,
  ctx: ReadContext
): Promise<Differences> {
  const args = [
    ...FLAGS,
    ...(stat ? [] : ['--patch', `--unified=${context}`]),
    ...(ignore_whitespace ? ['--ignore-all-space'] : []),
    ...[...sides, '--', ...pathspecs]
  ]
  const bounds: DiffBounds = {
    offset,
    limit,
    perFile: limit === 1 ? MAX_TOTAL_DIFF_BYTES : PER_FILE,
    total: MAX_TOTAL_DIFF_BYTES
  }
  const hidden = new Set<DiffFile>()
  const shows = (file: DiffFile) => {
    if (canRevealDiff(file, repository, ctx)) return true
    hidden.add(file)
    return false
  }
  const output = untilEnd(ctx.host.git.streamDiff(repository, args), repository)
  const { files, texts } = await readDiff(output, bounds, shows)
  const page = files.slice(offset, offset + limit)
  const next = offset + page.length
  const outputFiles = page.map((file, i) => ({
    ...toOutputFile(file, repository),
    ...diffFields(texts.get(offset + i))
  }))
  const longer = outputFiles.some(({ diff_truncated }) => diff_truncated)
  return {
    files: outputFiles,
    added: sum(files, 'added'),
    removed: sum(files, 'removed'),
    left_out: [...hidden].map(file => ({ path: workspaceName(file.path, repository), reason: WITHHELD_REASON })),
    total: files.length,
    truncated: next < files.length || longer,
    ...(next < files.length && { next_offset: next })
  }
}

const WITHHELD_REASON =
  'The name of the file suggests credentials, or a rule does not allow reading the file. Use read_file to request approval.'

/** Yields git's output to its end; throws if git failed. */
async function* untilEnd(
  output: AsyncGenerator<Buffer, { code: number | null; stderr: string }, void>,
  repository: Repository
) {
  const ended = yield* output
  assertGitSucceeded(ended, 'compare', repository)
}

const canRevealDiff = ({ path, from = path }: DiffFile, repository: Repository, ctx: ReadContext): boolean =>
  [path, from].every(file => canRevealFile(file, repository, ctx))

/** Checks if the content of a file of a repository may be revealed, also of one that exists only in history. */
export function canRevealFile(file: string, repository: Repository, ctx: ReadContext): boolean {
  const path = repository.toWorkspacePath(file)
  if (path === undefined) return false
  try {
    return ctx.canReveal({ path, entry: true })
  } catch (error) {
    // An invalid path here: its content is unknown.
    if (error instanceof ToolError) return false
    throw error
  }
}

const workspaceName = (path: string, repository: Repository) => repository.toWorkspacePath(path) ?? path

function toOutputFile({ headings: _, ...file }: DiffFile, repository: Repository) {
  const from = file.from === undefined ? undefined : repository.toWorkspacePath(file.from)
  const { from: __, ...rest } = file
  return { ...rest, path: workspaceName(file.path, repository), ...(from !== undefined && { from }) }
}

const diffFields = (text: DiffText | undefined): { diff?: string; diff_truncated?: boolean } =>
  text ? { diff: text.text, ...(text.truncated && { diff_truncated: true }) } : {}

const sum = (files: readonly DiffFile[], count: 'added' | 'removed') =>
  files.reduce((all, file) => all + (file[count] ?? 0), 0)

/** Formats the diff for a model: each file with its counts, followed by its patch. */
export function formatDifferences(
  { files, left_out, total, added, removed, ...page }: Differences,
  offset: number
): string[] {
  if (total === 0) return ['No differences.']
  const lines = files.flatMap(file => [
    formatFileHeader(file),
    ...(file.diff === undefined ? [] : file.diff.trimEnd().split('\n'))
  ])
  return [
    `${total} ${total === 1 ? 'file' : 'files'}, ${added} ${added === 1 ? 'line' : 'lines'} added, ${removed} removed.`,
    ...truncateLines(lines),
    ...left_out.map(({ path, reason }) => `(The text of ${path} is omitted. ${reason})`),
    ...files
      .filter(file => file.diff_truncated)
      .map(({ path }) => `(The diff of ${path} is truncated: request only this file, with limit 1.)`),
    ...(page.next_offset === undefined
      ? []
      : [`(Files ${offset + 1} to ${offset + files.length} of ${total}; continue with offset ${page.next_offset}.)`])
  ]
}

function formatFileHeader({
  path,
  from,
  operation,
  added,
  removed,
  binary,
  similarity
}: Differences['files'][number]): string {
  const name = from === undefined ? path : `${from} -> ${path}`
  const counts = binary ? 'binary' : `+${added} -${removed}`
  return `${operation.replace('_', ' ')}: ${name} (${counts}${similarity === undefined ? '' : `, ${similarity} % similar`})`
}
