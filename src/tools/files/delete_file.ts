import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { type Context, defineTool } from '../../tool/tool.ts'
import { irreversibleLossNotes } from './irreversible-loss.ts'
import { joinPathLines } from './shown-paths.ts'

const Input = Type.Object(
  {
    path: Type.String({ description: 'File, link or folder to delete, relative to the workspace root.' }),
    recursive: Type.Optional(Type.Boolean({ description: 'Delete a folder with everything in it.' }))
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'delete_file',
  category: 'files',
  description:
    'Delete a file, or with recursive a folder and everything in it. A link is deleted, not what it leads to.',
  input: Input,
  output: Type.Object({
    deleted: Type.Array(Type.String(), { description: 'Every path deleted, folders before what they held.' })
  }),
  // The content of a folder is stored first, file by file.
  timeout_ms: ({ recursive }) => (recursive ? 120_000 : 10_000),
  effect: 'destructive',
  subject: ({ path, recursive }) => ({ paths: [{ path, access: 'write', ...(recursive && { tree: true }) }] }),
  async preview(input, ctx) {
    const branches = await planDelete(input, ctx)
    const paths = branches.map(({ path }) => path)
    const title =
      paths.length === 1 ? `Delete ${input.path}` : `Delete ${input.path} and the ${paths.length - 1} entries in it`
    const notes = irreversibleLossNotes(branches, ctx.host.files)
    return { title, text: joinPathLines(paths), ...(notes.length > 0 && { notes }) }
  },
  async run(input, ctx) {
    await planDelete(input, ctx)
    const { files } = ctx.host
    return { deleted: input.recursive ? await files.removeTree(input.path) : [await files.remove(input.path)] }
  },
  present: ({ deleted }, { path }) => ({
    title: path,
    content: `Deleted ${deleted.length} ${deleted.length === 1 ? 'path' : 'paths'}:\n${joinPathLines(deleted)}`,
    metadata: { count: deleted.length }
  })
})

/** Lists everything that is removed. */
async function planDelete({ path, recursive }: Static<typeof Input>, { host }: Context) {
  const branches = await host.files.listTree(path)
  if (recursive || branches[0]!.type !== 'directory') return branches
  throw new ToolError('NOT_A_FILE', `${path} is a folder; recursive deletes it with everything in it.`, { path })
}
