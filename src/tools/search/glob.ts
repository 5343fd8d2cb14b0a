import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import { compileGlob } from '../../text/glob.ts'
import { type Context, defineTool } from '../../tool.ts'

const DEFAULT_LIMIT = 100

const Input = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      maxLength: 4_096,
      description:
        'Glob, relative to `path`: *.ts for names at any depth, src/**/*.ts for paths. Knows * ** ? [a-z] {a,b} and \\.'
    }),
    path: Type.Optional(
      Type.String({ description: 'Folder to look in, relative to the workspace root, which is the default.' })
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: `At most this many files; ${DEFAULT_LIMIT} by default.`
      })
    ),
    include_hidden: Type.Optional(Type.Boolean({ description: 'Also names that begin with a dot.' })),
    no_ignore: Type.Optional(Type.Boolean({ description: 'Also what .gitignore and its like leave out.' }))
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

export default defineTool({
  name: 'glob',
  category: 'search',
  description: 'Find files by a glob over their paths, newest first. Ignored and sensitive files are left out.',
  input: Input,
  output: Type.Object({
    files: Type.Array(Type.String(), { description: 'Paths relative to the workspace root, newest first.' }),
    total: Type.Integer({ description: 'How many files match.' }),
    truncated: Type.Boolean({ description: 'There are more than the limit.' })
  }),
  timeout_ms: 5_000,
  effect: 'read',
  idempotent: true,
  // Ignored folders are not watched, so an answer from within one may grow old unseen.
  cacheable: ({ path = '.', no_ignore = false }) => path === '.' && !no_ignore,
  subject: ({ path = '.' }) => ({ paths: [{ path, access: 'list', tree: true }] }),
  run: (input, ctx) => found(input, ctx),
  present({ files, total, truncated }, { pattern, no_ignore, include_hidden }) {
    const lines = [...files]
    if (files.length === 0) lines.push('No file matches.')
    if (truncated) lines.push(`(The newest ${files.length} of ${total}; narrow the pattern or raise the limit.)`)
    const left = [
      ...(no_ignore ? [] : ['ignored files']),
      ...(include_hidden ? [] : ['hidden files']),
      'files that may hold credentials'
    ]
    lines.push(`(Left out: ${left.join(', ')}.)`)
    return { title: pattern, content: lines.join('\n'), metadata: { total }, ...(truncated && { truncated }) }
  }
})

async function found(input: Input, ctx: Context) {
  const { pattern, path = '.', limit = DEFAULT_LIMIT, include_hidden = false } = input
  const glob = compiled(pattern)
  const folder = ctx.host.files.resolve(path)
  if (folder.kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path })
  if (folder.kind !== 'directory') throw new ToolError('NOT_A_DIRECTORY', `${path} is not a folder.`, { path })
  const prefix = folder.path === '.' ? '' : `${folder.path}/`
  const matching = (await candidates(input, folder.path, prefix, ctx)).filter(file => {
    const relative = file.slice(prefix.length)
    return (include_hidden || !isHidden(relative)) && glob.matches(relative)
  })
  const files = await ctx.host.list.newestFirst(matching, ctx.signal)
  return { files: files.slice(0, limit), total: files.length, truncated: files.length > limit }
}

/** All files below the folder; an ignored folder that is asked for by name is looked into all the same. */
async function candidates({ no_ignore = false }: Input, path: string, prefix: string, { host, signal }: Context) {
  if (!no_ignore) {
    const listed = await host.list.files()
    const below = prefix === '' ? listed : listed.filter(file => file.startsWith(prefix))
    if (below.length > 0) return below
  }
  return host.ripgrep.files({ path, hidden: true, ignored: no_ignore, signal })
}

const isHidden = (path: string) => path.startsWith('.') || path.includes('/.')

function compiled(pattern: string) {
  try {
    return compileGlob(pattern)
  } catch (error) {
    throw invalidParam('pattern', (error as SyntaxError).message)
  }
}
