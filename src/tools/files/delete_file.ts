import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { fileDiff } from '../../text/diff/unified-diff.ts'
import { decode } from '../../text/encoding.ts'
import type { ReadContext } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import { defineTool } from '../../tool/tool.ts'
import { type DiscardedEntry, irreversibleLossNotes } from './irreversible-loss.ts'
import { joinPathLines } from './shown-paths.ts'

const Input = Type.Object(
  {
    path: Type.String({ description: 'Workspace-relative path.' }),
    recursive: Type.Optional(Type.Boolean({ description: 'Delete a folder with its contents.' }))
  },
  { additionalProperties: false }
)

/** Limits of the content in a preview. */
const MAX_SHOWN_FILES = 50
const MAX_SHOWN_BYTES = 64 * 1024

export default defineTool({
  name: 'delete_file',
  category: 'files',
  description: 'Deletes a file, a symbolic link (not its target) or, with `recursive`, a folder.',
  input: Input,
  output: Type.Object({
    deleted: Type.Array(Type.String(), { description: 'Deleted paths, folders before their contents.' })
  }),
  // The content of a folder is stored first, file by file.
  timeout_ms: ({ recursive }) => (recursive ? 120_000 : 10_000),
  effect: 'destructive',
  request: ({ path, recursive }) => ({ paths: [{ path, access: 'write', ...(recursive && { tree: true }) }] }),
  async plan(input, ctx) {
    const branches = await listRemoved(input, ctx)
    return { state: undefined, preview: () => previewRemoval(input, branches, ctx) }
  },
  async run(input, ctx) {
    const { files } = ctx.host
    if (input.recursive) return { deleted: await files.removeTree(input.path) }
    // An empty folder could have taken the place of a file.
    await listRemoved(input, ctx)
    return { deleted: [await files.remove(input.path)] }
  },
  present: ({ deleted }, { path }) => ({
    title: path,
    content: `Deleted ${deleted.length} ${deleted.length === 1 ? 'path' : 'paths'}:\n${joinPathLines(deleted)}`,
    metadata: { count: deleted.length }
  })
})

async function previewRemoval(
  { path }: Static<typeof Input>,
  branches: readonly DiscardedEntry[],
  ctx: ReadContext
): Promise<Preview> {
  const paths = branches.map(entry => entry.path)
  const title = paths.length === 1 ? `Delete ${path}` : `Delete ${path} and the ${paths.length - 1} entries in it`
  const { diff, hidden } = await diffRemoved(branches, ctx)
  const notes = [
    ...irreversibleLossNotes(branches, ctx.host.files),
    ...(hidden === 0 ? [] : [`The content of ${hidden === 1 ? '1 file' : `${hidden} files`} is not shown.`])
  ]
  return {
    title,
    text: joinPathLines(paths),
    ...(diff !== '' && { diff }),
    ...(notes.length > 0 && { notes })
  }
}

/** Shows the content of what is removed, as a diff. `hidden`: files beyond the limits, or that the caller may not read unasked. */
async function diffRemoved(
  branches: readonly DiscardedEntry[],
  ctx: ReadContext
): Promise<{ diff: string; hidden: number }> {
  const files = branches.filter(({ type }) => type === 'file')
  const diffs: string[] = []
  let left = MAX_SHOWN_BYTES
  for (const { path, size } of files) {
    if (diffs.length === MAX_SHOWN_FILES || size > left || !ctx.canReveal({ path, entry: true })) continue
    const bytes = (await ctx.host.files.snapshot(path))?.bytes
    if (!bytes) continue
    left -= size
    diffs.push(fileDiff({ path, text: decode(bytes)?.text }, undefined).diff)
  }
  return { diff: diffs.join(''), hidden: files.length - diffs.length }
}

/** Lists everything that is removed. */
async function listRemoved({ path, recursive }: Static<typeof Input>, { host }: ReadContext) {
  const branches = await host.files.listTree(path)
  if (recursive || branches[0]!.type !== 'directory') return branches
  throw new ToolError('NOT_A_FILE', `${path} is a folder. Set \`recursive\` to delete the folder with its contents.`, {
    path
  })
}
