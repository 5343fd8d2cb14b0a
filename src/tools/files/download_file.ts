import { Type } from 'typebox'
import { defineTool } from '../../tool/tool.ts'

/** Time to read a file of several gigabytes from a slow disk. */
const HASH_TIMEOUT_MS = 120_000

export default defineTool({
  name: 'download_file',
  category: 'files',
  traits: { listed: 'never' },
  description: 'Sends the bytes of a file over HTTP. GET /files/{path} makes this call.',
  input: Type.Object(
    { path: Type.String({ description: 'File to send, relative to the workspace root.' }) },
    { additionalProperties: false }
  ),
  output: Type.Object({
    path: Type.String({ description: 'File path, with links resolved.' }),
    size: Type.Integer({ description: 'Size of the file in bytes.' }),
    hash: Type.String({ description: 'sha256 of the content.' }),
    modified: Type.String({ format: 'date-time', description: 'Time of the last modification.' }),
    notes: Type.Optional(
      Type.Array(Type.String({ description: 'Note in one sentence.' }), {
        description: 'Notes: an editor has unsaved changes of the file.'
      })
    )
  }),
  timeout_ms: HASH_TIMEOUT_MS,
  effect: 'read',
  request: ({ path }) => ({ paths: [{ path, access: 'read' }] }),
  async run({ path }, { host, call, signal }) {
    const unsaved = host.files.unsaved(path) !== undefined
    const file = host.files.open(path)
    const hash = await host.downloads.keep(call.id, file, signal)
    return {
      path: file.path,
      size: file.size,
      hash,
      modified: file.modified,
      ...(unsaved && { notes: ['An editor has unsaved changes of this file: the downloaded bytes are those on disk.'] })
    }
  },
  present: ({ path, size, hash, notes = [] }) => ({
    title: path,
    content: [`${path}: ${size} bytes, ${hash}.`, ...notes].join('\n'),
    metadata: { hash, size }
  })
})
