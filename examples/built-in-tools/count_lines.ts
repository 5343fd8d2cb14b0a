import { Type } from 'typebox'
import { defineTool } from '../../src/tool/tool.ts'

export default defineTool({
  name: 'count_lines',
  category: 'files',
  description: 'Count the lines of a text file.',
  input: Type.Object(
    { path: Type.String({ description: 'File to count in, relative to the workspace root.' }) },
    { additionalProperties: false }
  ),
  output: Type.Object({
    path: Type.String({ description: 'File path, with links resolved.' }),
    lines: Type.Integer({ description: 'Number of its line ends.' })
  }),
  timeout_ms: 10_000,
  effect: 'read',
  traits: { idempotent: true, cacheable: true },
  request: ({ path }) => ({ paths: [{ path, access: 'read' }] }),
  async run({ path }, { host, signal }) {
    const file = host.files.open(path)
    try {
      let lines = 0
      for await (const chunk of file.chunks(signal)) for (const byte of chunk) if (byte === 10) lines += 1
      return { path: file.path, lines }
    } finally {
      file.close()
    }
  },
  present: ({ path, lines }) => ({ title: path, content: `${path} has ${lines} lines.` })
})
