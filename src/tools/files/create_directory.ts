import { Type } from 'typebox'
import { defineTool } from '../../tool.ts'

export default defineTool({
  name: 'create_directory',
  category: 'files',
  description: 'Make a folder, and those missing above it. A folder that exists is left as it is.',
  input: Type.Object(
    {
      path: Type.String({ description: 'The folder to make, relative to the workspace root.' }),
      parents: Type.Optional(Type.Boolean({ description: 'Make the folders missing above it too; true by default.' }))
    },
    { additionalProperties: false }
  ),
  output: Type.Object({
    path: Type.String({ description: 'The folder, links followed.' }),
    created: Type.Boolean({ description: 'It was not there before.' })
  }),
  timeout_ms: 5_000,
  effect: 'write',
  idempotent: true,
  subject: ({ path }) => ({ paths: [{ path, access: 'write' }] }),
  preview: ({ path }) => ({ title: `Create folder ${path}` }),
  async run({ path, parents = true }, { host }) {
    const { path: canonical } = host.files.peek(path)
    const made = parents ? await host.files.makeDirectories(path) : await host.files.makeDirectory(path)
    return { path: canonical, created: made.length > 0 }
  },
  present: ({ path, created }) => ({
    title: path,
    content: created ? `Created ${path}.` : `${path} was there already.`
  })
})
