import { type Static, Type } from 'typebox'
import type { CountListener } from '../../host/search/ripgrep.ts'
import { compileExplicitDots, compileGlob } from '../../text/glob/glob.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import {
  countInTime,
  filesBelow,
  folderAt,
  formatOmittedFiles,
  isDotfilePath,
  NO_IGNORE,
  OmittedFiles,
  toOmittedFiles,
  withFileCount
} from './lib/file-search.ts'
import { linkedFilesBelow } from './lib/linked-files.ts'
import { parseGlobParam } from './lib/search-globs.ts'

const DEFAULT_LIMIT = 100

const Input = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      maxLength: 4_096,
      description:
        'Glob relative to `path`: *.ts at any depth, ./*.ts and src/**/*.ts for paths. Supports ** {a,b} [a-z] and extglobs.'
    }),
    path: Type.Optional(Type.String({ description: 'Folder to search. Default: workspace root.' })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: `Maximum files. Default: ${DEFAULT_LIMIT}.`
      })
    ),
    include_hidden: Type.Optional(
      Type.Boolean({
        description: 'Include names that begin with a dot.'
      })
    ),
    no_ignore: Type.Optional(Type.Boolean({ description: NO_IGNORE }))
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Output = Type.Object({
  files: Type.Array(Type.String(), {
    description: 'Paths relative to the workspace root, newest first. A link is sorted by the time of its target.'
  }),
  total: Type.Integer({ description: 'Number of matching files.' }),
  truncated: Type.Boolean({ description: 'True if there are more files than the limit.' }),
  left_out: Type.Optional(OmittedFiles)
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'glob',
  category: 'search',
  description:
    'Finds files by a glob, newest first. Omits ignored files and files named like secrets; does not follow links to folders.',
  input: Input,
  output: Output,
  timeout_ms: 5_000,
  effect: 'read',
  traits: {
    idempotent: true,
    usesAllProcessors: ({ no_ignore = false }) => no_ignore,
    // Ignored folders are not watched, so a cached answer from one could become stale unnoticed.
    cacheable: ({ path = '.', no_ignore = false }) => path === '.' && !no_ignore
  },
  request: ({ path = '.' }) => ({ paths: [{ path, access: 'list', tree: true }] }),
  run: (input, ctx) => withFileCount(onCount => findFiles(input, ctx, onCount)),
  present({ files, total, truncated, left_out }, input) {
    const lines = files.length === 0 ? ['No files match.'] : truncateLines(files)
    if (truncated) lines.push(`(The newest ${files.length} of ${total}. Narrow the pattern or increase limit.)`)
    lines.push(...formatOmittedFiles(left_out))
    const metadata = { total, left_out }
    return { title: input.pattern, content: lines.join('\n'), metadata, ...(truncated && { truncated }) }
  }
})

async function findFiles(given: Input, ctx: RunContext, onCount: CountListener): Promise<Output> {
  const { path = '.', limit = DEFAULT_LIMIT, no_ignore = false } = given
  const folder = folderAt(path, ctx)
  const scope = { spellings: ctx.call.workspace.spellings, folder: folder.path }
  const input = { ...given, pattern: parseGlobParam('pattern', given.pattern, scope) }
  const matches = matcher(input.pattern, folder.prefix)
  const [listing, links] = await Promise.all([
    filesBelow(folder, no_ignore, ctx, onCount),
    linkedFilesBelow(folder, { no_ignore, select: links => links.filter(matches) }, ctx)
  ])
  const { shown, hidden } = matchFiles(input, [...listing.files, ...links.files], folder.prefix)
  const countIgnored = async () =>
    matchFiles(input, (await filesBelow(folder, true, ctx, onCount)).files, folder.prefix).shown.length
  const ignored = shown.length > 0 || no_ignore ? 0 : await countInTime(countIgnored, 0)
  const sensitive = [...listing.sensitive, ...links.sensitive].filter(matches).length
  const files = await ctx.host.list.newestFirst(shown, ctx.signal, links.targets)
  return {
    files: files.slice(0, limit),
    total: files.length,
    truncated: files.length > limit,
    ...toOmittedFiles({ hidden, ignored, sensitive })
  }
}

function matcher(pattern: string, prefix: string) {
  const glob = compileGlob(pattern)
  return (file: string) => glob.matches(file.slice(prefix.length))
}

/** Returns the matching files to show, and the number of hidden ones. */
function matchFiles({ pattern, include_hidden = false }: Input, files: readonly string[], prefix: string) {
  const isNamed = compileExplicitDots(pattern)
  const all = files.filter(matcher(pattern, prefix))
  const isShown = (path: string) => include_hidden || !isDotfilePath(path) || isNamed(path)
  const shown = all.filter(file => isShown(file.slice(prefix.length)))
  return { shown, hidden: all.length - shown.length }
}
