import { Type } from 'typebox'
import { ToolError } from '../../src/errors.ts'
import { unifiedDiff } from '../../src/text/diff/unified-diff.ts'
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
    path: Type.String({ description: 'The file, links followed.' }),
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
  async plan({ path }, { host, canReveal }) {
    const was = await host.files.snapshot(path)
    if (!was?.bytes) throw new ToolError('FILE_NOT_FOUND', `${path} does not exist, or is too large to be sorted.`, { path })
    const before = was.bytes.toString('utf8')
    const after = `${before.trimEnd().split('\n').sort().join('\n')}\n`
    const title = `Sort ${path}`
    return {
      state: { was, content: Buffer.from(after) },
      preview: () => (canReveal({ path }) ? { title, diff: unifiedDiff(path, before, after).diff } : { title })
    }
  },
  async run({ path }, { host }, { was, content }) {
    const { path: written, hash } = await host.files.replace(path, was, content)
    return { path: written, hash }
  },
  present: ({ path }) => ({ title: path, content: `Sorted ${path}.` })
})
