import { dirname } from 'node:path/posix'
import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { parseEncoding } from '../../host/files/parse-encoding.ts'
import type { CountListener, PathSample, SearchHit, SearchOmissions } from '../../host/search/ripgrep.ts'
import type { RipgrepQuery } from '../../host/search/ripgrep-arguments.ts'
import type { SearchMatch } from '../../host/search/ripgrep-messages.ts'
import { detectEncoding } from '../../text/encoding.ts'
import { escapeLine } from '../../text/escape-invisible.ts'
import { compileGlob } from '../../text/glob/glob.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import type { Progress } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import { withStatus } from '../../tool/with-progress.ts'
import {
  countInTime,
  filesBelow,
  folderAt,
  formatFileCount,
  formatOmittedFiles,
  isTimeout,
  NO_IGNORE,
  OmittedFiles,
  toOmittedFiles
} from './lib/file-search.ts'
import { parseGlobs } from './lib/search-globs.ts'
import { unsavedNotes } from './lib/unsaved-notes.ts'

const DEFAULT_LIMIT = 100
const TIME_UP = 'The search timed out: other files may match. Narrow the search, or increase `timeout_ms` of the call.'

const Input = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: "Regular expression in ripgrep's default syntax, without look-around."
    }),
    path: Type.Optional(Type.String({ description: 'File or folder to search. Default: workspace root.' })),
    include: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { maxItems: 100 })], {
        description: 'Only files that match a glob such as *.ts, relative to `path`.'
      })
    ),
    exclude: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { maxItems: 100 })], {
        description: 'Exclude files and folders that match a glob.'
      })
    ),
    literal: Type.Optional(Type.Boolean({ description: 'Treat the pattern as plain text.' })),
    case: Type.Optional(
      Type.Enum(['sensitive', 'insensitive', 'smart'], {
        description: '`smart`: case-insensitive if the pattern has no capital. Default: sensitive.'
      })
    ),
    encoding: Type.Optional(
      Type.String({
        description: 'Encoding of files that are neither UTF-8 nor UTF-16 with BOM, such as shift_jis.'
      })
    ),
    binary: Type.Optional(
      Type.Boolean({ description: 'Show matches in binary files. Default: list only their names.' })
    ),
    no_ignore: Type.Optional(Type.Boolean({ description: NO_IGNORE })),
    multiline: Type.Optional(Type.Boolean({ description: 'Allow matches that span lines.' })),
    context: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 50, description: 'Lines before and after each match. Default: 0.' })
    ),
    mode: Type.Optional(
      Type.Enum(['content', 'files', 'count'], {
        description: '`content` (default): matching lines; `files`: paths; `count`: matches per file.'
      })
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: `Maximum results. Default: ${DEFAULT_LIMIT}.`
      })
    )
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Output = Type.Object({
  matches: Type.Array(
    Type.Object({
      path: Type.String({ description: 'File path, relative to the workspace root.' }),
      line: Type.Optional(Type.Integer({ description: 'Line number of the match, from 1; only in mode `content`.' })),
      column: Type.Optional(
        Type.Integer({ description: 'Column of the first match in the line, in characters, from 1.' })
      ),
      text: Type.Optional(
        Type.String({ description: 'Text of the matching line; a long line is shortened around the match.' })
      ),
      before: Type.Optional(Type.Array(Type.String(), { description: 'Lines before the match.' })),
      after: Type.Optional(Type.Array(Type.String(), { description: 'Lines after the match.' })),
      count: Type.Optional(Type.Integer({ description: 'Number of matches in the file; only in mode `count`.' }))
    }),
    { description: 'Results, sorted by path and line.' }
  ),
  total: Type.Integer({ description: 'Number of results. If `truncated` is true, there may be more.' }),
  truncated: Type.Boolean({ description: 'True if the search stopped at the limit or at its time limit.' }),
  missed: Type.Array(Type.String(), {
    description: 'Notes about files that could not be searched, and matches that are not reported.'
  }),
  left_out: Type.Optional(OmittedFiles)
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'grep',
  category: 'search',
  description:
    'Searches file contents with ripgrep. Omits ignored files and files named like secrets; does not follow links.',
  input: Input,
  output: Output,
  timeout_ms: 10_000,
  effect: 'read',
  traits: {
    idempotent: true,
    usesAllProcessors: true,
    // Ignored folders are not watched, so a cached answer from one could become stale unnoticed.
    cacheable: ({ path = '.', no_ignore = false }) => path === '.' && !no_ignore
  },
  request: ({ path = '.' }) => ({ paths: [{ path, access: 'list', tree: true }] }),
  run: searchWithProgress,
  present({ matches, total, truncated, missed, left_out }, { pattern, mode = 'content' }) {
    const lines = truncateLines(mode === 'content' ? formatByFile(matches as SearchMatch[]) : matches.map(formatMatch))
    if (matches.length === 0)
      lines.push(missed.length === 0 ? 'No matches.' : 'No matches in the files that were searched.')
    if (truncated && !missed.includes(TIME_UP))
      lines.push(`(Stopped at ${matches.length} results; there are more. Narrow the search or increase limit.)`)
    lines.push(...missed.map(text => `(${text})`))
    lines.push(...formatOmittedFiles(left_out))
    return { title: pattern, content: lines.join('\n'), metadata: { total }, ...(truncated && { truncated }) }
  }
})

/** Reports matches as they are found, and their number if it takes long. */
function searchWithProgress(input: Input, ctx: RunContext): AsyncGenerator<Progress, Output> {
  const matches: SearchHit[] = []
  let status = () => formatMatchCount(matches)
  return withStatus(
    () => status(),
    report =>
      searchContents(input, ctx, {
        matches,
        report,
        onCount: files => {
          status = () => formatFileCount(files)
        }
      })
  )
}

const formatMatchCount = (matches: readonly SearchHit[]): Progress => ({
  message: `Results so far: ${matches.length}, in files: ${new Set(matches.map(({ path }) => path)).size}.`
})

interface SearchProgress {
  /** Receives all matches. */
  matches: SearchHit[]
  report: (step: Progress) => void
  onCount: CountListener
}

async function searchContents(
  input: Input,
  ctx: RunContext,
  { matches, report, onCount }: SearchProgress
): Promise<Output> {
  const { host, signal } = ctx
  const { path = '.', limit = DEFAULT_LIMIT } = input
  const place = host.files.resolve(path)
  if (place.kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path })
  if (place.kind === 'other') throw new ToolError('NOT_A_FILE', `${path} is neither a file nor a folder.`, { path })
  const scope = {
    spellings: ctx.call.workspace.spellings,
    folder: place.kind === 'file' ? dirname(place.path) : place.path
  }
  const query: RipgrepQuery = {
    pattern: input.pattern,
    path: place.path,
    kind: place.kind,
    mode: input.mode ?? 'content',
    literal: input.literal ?? false,
    case: input.case ?? 'sensitive',
    multiline: input.multiline ?? false,
    encoding: input.encoding === undefined ? undefined : parseEncoding(input.encoding),
    binary: input.binary ?? false,
    ignored: input.no_ignore ?? false,
    context: input.context ?? 0,
    include: parseGlobs('include', input.include, scope),
    exclude: parseGlobs('exclude', input.exclude, scope),
    signal
  }
  const search = host.ripgrep.search(query)
  let missed: string[] = []
  let isCutShort = false
  try {
    while (matches.length <= limit) {
      const step = await search.next()
      if (step.done) {
        const mayHoldUtf16 = matches.length === 0 && !query.encoding
        const unread = mayHoldUtf16
          ? await countInTime(async () => utf16Notes(await findUndeclaredUtf16(query, ctx)), [UTF16_UNKNOWN])
          : []
        missed = [...missedNotes(step.value), ...unread, ...unsavedNotes(place.path, host.files)]
        break
      }
      const fresh = step.value.slice(0, limit - matches.length)
      if (fresh.length > 0) report({ message: fresh.map(formatMatch).join('\n') })
      matches.push(...step.value)
    }
  } catch (error) {
    if (!isTimeout(error) || matches.length === 0) throw error
    isCutShort = true
    missed = [TIME_UP]
  } finally {
    await search.return(NOTHING_OMITTED)
  }
  const truncated = isCutShort || matches.length > limit
  const shown = matches.slice(0, limit).sort(compareMatches)
  const left_out =
    matches.length === 0 && place.kind === 'directory'
      ? await countInTime(() => countOmitted(input, ctx, onCount), {})
      : {}
  return { matches: shown, total: matches.length, truncated, missed, ...left_out }
}

/** Counts the files that were not searched. It costs another look at the folder, so only where nothing was found. */
async function countOmitted(
  { path = '.', include, no_ignore = false }: Input,
  ctx: RunContext,
  onCount: CountListener
) {
  const folder = folderAt(path, ctx)
  const scope = { spellings: ctx.call.workspace.spellings, folder: folder.path }
  const globs = parseGlobs('include', include, scope).map(compileGlob)
  const isIncluded = (file: string) =>
    globs.length === 0 || globs.some(glob => glob.matches(file.slice(folder.prefix.length)))
  const { files, sensitive } = await filesBelow(folder, no_ignore, ctx, onCount)
  const all = no_ignore ? files : (await filesBelow(folder, true, ctx, onCount)).files
  return toOmittedFiles({
    hidden: 0,
    ignored: all.filter(isIncluded).length - files.filter(isIncluded).length,
    sensitive: sensitive.filter(isIncluded).length
  })
}

const NOTHING: PathSample = { count: 0, paths: [] }
const NOTHING_OMITTED: SearchOmissions = { unreadable: NOTHING, binary: NOTHING, too_long: 0 }

function missedNotes({ unreadable, binary, too_long }: SearchOmissions) {
  return [
    ...(unreadable.count > 0 ? [`Files that could not be read: ${formatSample(unreadable)}.`] : []),
    ...(binary.count > 0
      ? [`Matches in binary files are not shown. Set \`binary\` to show matches in: ${formatSample(binary)}.`]
      : []),
    ...(too_long > 0 ? [`${too_long} matches are omitted: their lines are too long.`] : [])
  ]
}

function formatSample({ count, paths }: PathSample) {
  const more = count - paths.length
  return `${paths.map(escapeLine).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Maximum number of files with zero bytes to look at. */
const MAX_LOOKED_AT = 200
const UTF16_HEAD_BYTES = 4096
/** Minimum share of zero bytes: half of them in Latin text, some in any with line feeds. */
const MIN_UTF16_ZEROS = 0.05
const UNDECLARED_UTF16: ReadonlySet<string | undefined> = new Set(['utf-16le-no-bom', 'utf-16be-no-bom'])

/** Finds files in UTF-16 without a byte order mark, in which no pattern matches. It costs another search, so only where nothing was found. */
async function findUndeclaredUtf16(query: RipgrepQuery, { host, signal }: RunContext): Promise<string[]> {
  const holding = { ...query, pattern: '\\x00', literal: false, mode: 'files' as const, binary: true, context: 0 }
  const search = host.ripgrep.search(holding)
  const found: string[] = []
  let looked = 0
  for await (const hits of search)
    for (const { path } of hits) {
      if (++looked > MAX_LOOKED_AT) return found
      if (UNDECLARED_UTF16.has(await detectHead(path, host.files, signal))) found.push(path)
    }
  return found
}

async function detectHead(path: string, files: RunContext['host']['files'], signal: AbortSignal) {
  try {
    const file = files.open(path)
    try {
      const head = await file.read(Buffer.alloc(UTF16_HEAD_BYTES), 0, signal)
      const zeros = head.reduce((count, byte) => (byte === 0 ? count + 1 : count), 0)
      return zeros >= head.length * MIN_UTF16_ZEROS ? detectEncoding(head)?.encoding : undefined
    } finally {
      file.close()
    }
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}

const MAX_NAMED = 10
const UTF16_UNKNOWN = 'Files in UTF-16 without a byte order mark were not searched: the search timed out.'

function utf16Notes(paths: readonly string[]) {
  if (paths.length === 0) return []
  const sample = { count: paths.length, paths: paths.toSorted().slice(0, MAX_NAMED) }
  return [
    `Some files were not searched, because they are in UTF-16 without a byte order mark. Set \`encoding\` to search: ${formatSample(sample)}.`
  ]
}

const lineNumberOf = (found: SearchHit) => ('line' in found ? found.line : 0)

const compareMatches = (a: SearchHit, b: SearchHit) =>
  a.path === b.path ? lineNumberOf(a) - lineNumberOf(b) : a.path < b.path ? -1 : 1

function formatMatch(found: Output['matches'][number]) {
  const { path, line, text, count } = found
  if (line !== undefined) return `${path}:${line}: ${text}`
  return count === undefined ? path : `${path}: ${count}`
}

/** Formats each file's name once, then its lines with their numbers; context lines have a dash. */
function formatByFile(matches: readonly SearchMatch[]) {
  return [...Map.groupBy(matches, ({ path }) => path)].flatMap(([path, found]) => [path, ...formatFileMatches(found)])
}

function formatFileMatches(found: readonly SearchMatch[]) {
  const lines = new Map<number, string>()
  for (const { line, text, before, after } of found) {
    const matching = text.split('\n')
    const around: [number, string][] = [
      ...before.map((each, i): [number, string] => [line - before.length + i, each]),
      ...after.map((each, i): [number, string] => [line + matching.length + i, each])
    ]
    for (const [number, each] of around) if (!lines.has(number)) lines.set(number, `- ${each}`)
    for (const [i, each] of matching.entries()) lines.set(line + i, `: ${each}`)
  }
  return [...lines].sort(([a], [b]) => a - b).map(([line, text]) => `  ${line}${text}`)
}
