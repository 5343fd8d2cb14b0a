import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import { compileGlob } from '../../text/glob.ts'
import { NO_MATCH, rankLetters, rankLiteral } from '../../text/rank.ts'
import { type Context, defineTool } from '../../tool.ts'

const LIMIT = 100
const FEW = 10

const Input = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description:
        'Part of a name or path, or just some of its letters in order; or a glob where it holds * ? [ or {. ' +
        'Upper and lower case are the same.'
    }),
    path: Type.Optional(
      Type.String({ description: 'Folder to search, relative to the workspace root, which is the default.' })
    )
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'search_files',
  category: 'search',
  description: 'Find files by name: best first, ignored and sensitive files left out.',
  input: Input,
  output: Type.Object({
    files: Type.Array(Type.String(), { description: 'Paths relative to the workspace root, best first.' }),
    total: Type.Integer({
      description: 'How many files match; those that match by letters count only when few do otherwise.'
    }),
    truncated: Type.Boolean({ description: `Only the best ${LIMIT} are listed.` })
  }),
  timeout_ms: 5_000,
  effect: 'read',
  idempotent: true,
  cacheable: true,
  subject: ({ path = '.' }) => ({ paths: [{ path, access: 'list', tree: true }] }),
  run: (input, ctx) => ranked(input, ctx),
  present({ files, total, truncated }, { pattern }) {
    const lines = [...files]
    if (files.length === 0) lines.push('No file matches.')
    if (truncated) lines.push(`(The best ${files.length} of ${total}.)`)
    lines.push('(Ignored files, and files that may hold credentials, are left out.)')
    return { title: pattern, content: lines.join('\n'), metadata: { total }, ...(truncated && { truncated }) }
  }
})

async function ranked({ pattern, path = '.' }: Static<typeof Input>, { host }: Context) {
  const folder = host.files.resolve(path)
  if (folder.kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path })
  const all = await host.list.files()
  const prefix = folder.path === '.' ? '' : `${folder.path}/`
  const lower = lowerCase(all)
  const query = pattern.toLowerCase()
  const best = new Best(LIMIT)
  const rankAll = (rank: (lower: string, path: string) => number) => {
    for (let i = 0; i < all.length; i += 1) {
      const file = all[i]!
      if (file.startsWith(prefix))
        best.add(rank(prefix === '' ? lower[i]! : lower[i]!.slice(prefix.length), file.slice(prefix.length)), file)
    }
  }
  if (/[*?[{]/.test(pattern)) {
    const glob = compiled(query)
    rankAll((low, file) => (glob.matches(low) ? file.length : NO_MATCH))
  } else {
    rankAll((low, file) => rankLiteral(query, low, file))
    // Letters that are merely somewhere in order help only where little is found otherwise.
    if (best.total < FEW) rankAll((low, file) => (low.includes(query) ? NO_MATCH : rankLetters(query, low, file)))
  }
  return { files: best.paths(), total: best.total, truncated: best.total > LIMIT }
}

function compiled(pattern: string) {
  try {
    return compileGlob(pattern)
  } catch (error) {
    throw invalidParam('pattern', (error as SyntaxError).message)
  }
}

// Made once for each list, not once for each question.
const lowered = new WeakMap<readonly string[], readonly string[]>()

function lowerCase(files: readonly string[]) {
  const known = lowered.get(files)
  if (known) return known
  const made = files.map(file => file.toLowerCase())
  lowered.set(files, made)
  return made
}

/** The best few of many, in order: by rank, then by path. */
class Best {
  total = 0
  readonly #limit: number
  #kept: { rank: number; path: string }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  add(rank: number, path: string) {
    if (rank === NO_MATCH) return
    this.total += 1
    const worst = this.#kept.at(-1)
    const full = this.#kept.length === this.#limit
    if (full && worst && (rank > worst.rank || (rank === worst.rank && path > worst.path))) return
    let at = this.#kept.length
    while (at > 0 && isBefore(rank, path, this.#kept[at - 1]!)) at -= 1
    this.#kept.splice(at, 0, { rank, path })
    if (full) this.#kept.pop()
  }

  paths() {
    return this.#kept.map(({ path }) => path)
  }
}

const isBefore = (rank: number, path: string, other: { rank: number; path: string }) =>
  rank < other.rank || (rank === other.rank && path < other.path)
