import { Type } from 'typebox'
import { ToolError } from '../../src/errors.ts'
import type { FileSnapshot } from '../../src/host/files/file-snapshot.ts'
import { unifiedDiff } from '../../src/text/diff/unified-diff.ts'
import { decodeEditable, encode } from '../../src/text/encoding.ts'
import type { ReadContext } from '../../src/tool/contexts.ts'
import { defineTool } from '../../src/tool/tool.ts'

export default defineTool({
  name: 'sort_lines',
  category: 'files',
  description: 'Sort the lines of a text file.',
  input: Type.Object(
    { path: Type.String({ description: 'File to sort, relative to the workspace root.' }) },
    { additionalProperties: false }
  ),
  output: Type.Object({
    path: Type.String({ description: 'File path, with links resolved.' }),
    hash: Type.String({ description: 'sha256 of the new content.' })
  }),
  timeout_ms: 10_000,
  effect: 'write',
  traits: { plansFromFiles: true },
  request: ({ path }) => ({
    paths: [
      { path, access: 'write' },
      { path, access: 'read' }
    ]
  }),
  async plan({ path }, ctx) {
    const title = `Sort ${path}`
    // An error would reveal content of the file: nothing is computed before the approval.
    if (!ctx.canReveal({ path })) return { state: undefined, preview: () => ({ title }) }
    const state = await sortFile(path, ctx)
    return { state, preview: () => ({ title, diff: unifiedDiff(path, state.before, state.after).diff }) }
  },
  async run({ path }, ctx, planned: SortedFile | undefined) {
    const { was, bytes } = planned ?? (await sortFile(path, ctx))
    const { path: written, hash } = await ctx.host.files.replace(path, was, bytes)
    return { path: written, hash }
  },
  present: ({ path }) => ({ title: path, content: `Sorted ${path}.` })
})

interface SortedFile {
  was: FileSnapshot
  before: string
  after: string
  bytes: Buffer
}

/** Sorts a text in its own encoding, and with its own line ends. */
async function sortFile(path: string, { host }: ReadContext): Promise<SortedFile> {
  const was = await host.files.snapshot(path)
  if (!was) throw new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path })
  const old = was.bytes && decodeEditable(was.bytes)
  if (!old?.exact) throw new ToolError('BINARY_FILE', `${path} is no text, or larger than 8 MiB.`, { path })
  const lines = old.text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const after = lines.sort().join('')
  return { was, before: old.text, after, bytes: encode(after, old.encoding)! }
}
