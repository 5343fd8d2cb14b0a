import { type Static, Type } from 'typebox'
import type { CountListener } from '../../host/search/ripgrep.ts'
import { compileGlob } from '../../text/glob/glob.ts'
import { memoizeByObject } from '../../text/memoize-by-object.ts'
import { NO_MATCH, rankLetters, rankLiteral } from '../../text/path-rank.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import {
  countInTime,
  filesBelow,
  folderAt,
  formatOmittedFiles,
  NO_IGNORE,
  OmittedFiles,
  toOmittedFiles,
  withFileCount
} from './lib/file-search.ts'
import { linkedFilesBelow } from './lib/linked-files.ts'
import { parseGlobParam } from './lib/search-globs.ts'

const DEFAULT_LIMIT = 100
const MIN_LITERAL_MATCHES = 10

const Input = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Part of a name or path, or some of its letters in order, or a glob; case-insensitive.'
    }),
    path: Type.Optional(Type.String({ description: 'Folder to search. Default: workspace root.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: `Maximum files. Default: ${DEFAULT_LIMIT}.` })
    ),
    no_ignore: Type.Optional(Type.Boolean({ description: NO_IGNORE }))
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Output = Type.Object({
  files: Type.Array(Type.String(), { description: 'Paths relative to the workspace root, the best match first.' }),
  total: Type.Integer({
    description:
      'Number of matching files. Files that match only by single letters are counted only if there are few other matches.'
  }),
  truncated: Type.Boolean({ description: 'True if there are more files than the limit.' }),
  left_out: Type.Optional(OmittedFiles)
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'search_files',
  category: 'search',
  description: 'Finds files by name, best match first. Omits ignored files and files named like secrets.',
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
  present({ files, total, truncated, left_out }, { pattern }) {
    const lines = files.length === 0 ? ['No files match.'] : truncateLines(files)
    if (truncated) lines.push(`(The best ${files.length} of ${total} files.)`)
    lines.push(...formatOmittedFiles(left_out))
    const metadata = { total, left_out }
    return { title: pattern, content: lines.join('\n'), metadata, ...(truncated && { truncated }) }
  }
})

async function findFiles(given: Input, ctx: RunContext, onCount: CountListener): Promise<Output> {
  const { path = '.', limit = DEFAULT_LIMIT, no_ignore = false } = given
  const folder = folderAt(path, ctx)
  const scope = { spellings: ctx.call.workspace.spellings, folder: folder.path }
  const isGlob = GLOB_SYNTAX.test(given.pattern)
  const input = isGlob ? { ...given, pattern: parseGlobParam('pattern', given.pattern, scope) } : given
  const select = (links: readonly string[]) =>
    rankFiles({ ...input, limit: links.length }, [links], folder.prefix).paths()
  const [listing, links] = await Promise.all([
    filesBelow(folder, no_ignore, ctx, onCount),
    linkedFilesBelow(folder, { no_ignore, select }, ctx)
  ])
  const best = rankFiles(input, [listing.files, links.files], folder.prefix)
  const countIgnored = async () =>
    rankFiles(input, [(await filesBelow(folder, true, ctx, onCount)).files], folder.prefix).total
  const ignored = best.total > 0 || no_ignore ? 0 : await countInTime(countIgnored, 0)
  const sensitive = rankFiles(input, [listing.sensitive, links.sensitive], folder.prefix).total
  return {
    files: best.paths(),
    total: best.total,
    truncated: best.total > limit,
    ...toOmittedFiles({ hidden: 0, ignored, sensitive })
  }
}

const GLOB_SYNTAX = /[*?[{]|[@+!]\(/

type PathRank = (lower: string, path: string) => number

function rankFiles(
  { pattern, limit = DEFAULT_LIMIT }: Input,
  lists: readonly (readonly string[])[],
  prefix: string
): Best {
  const query = pattern.toLowerCase()
  const best = new Best(limit)
  const rankAll = (rank: PathRank) => {
    for (const list of lists) rankList(list, rank)
  }
  const rankList = (all: readonly string[], rank: PathRank) => {
    const lower = lowerCase(all)
    for (let i = 0; i < all.length; i += 1) {
      const file = all[i]!
      if (prefix === '') best.add(rank(lower[i]!, file), file)
      else best.add(rank(lower[i]!.slice(prefix.length), file.slice(prefix.length)), file)
    }
  }
  if (GLOB_SYNTAX.test(pattern)) {
    const glob = compileGlob(query)
    rankAll((low, file) => (glob.matches(low) ? file.length : NO_MATCH))
  } else {
    rankAll((low, file) => rankLiteral(query, low, file))
    // Subsequence matches help only if there are few others.
    if (best.total < MIN_LITERAL_MATCHES)
      rankAll((low, file) => (low.includes(query) ? NO_MATCH : rankLetters(query, low, file)))
  }
  return best
}

/** Computed once per list, not once per query. */
const lowerCase = memoizeByObject((files: readonly string[]): readonly string[] =>
  files.map(file => file.toLowerCase())
)

/** Collects the best few of many, ordered by rank, then by path. */
class Best {
  total = 0
  readonly #limit: number
  #best: { rank: number; path: string }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  add(rank: number, path: string) {
    if (rank === NO_MATCH) return
    this.total += 1
    const worst = this.#best.at(-1)
    const full = this.#best.length === this.#limit
    if (full && worst && (rank > worst.rank || (rank === worst.rank && path > worst.path))) return
    let at = this.#best.length
    while (at > 0 && isBefore(rank, path, this.#best[at - 1]!)) at -= 1
    this.#best.splice(at, 0, { rank, path })
    if (full) this.#best.pop()
  }

  paths() {
    return this.#best.map(({ path }) => path)
  }
}

const isBefore = (rank: number, path: string, other: { rank: number; path: string }) =>
  rank < other.rank || (rank === other.rank && path < other.path)
