import { dirname } from 'node:path/posix'
import { Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import type { ReadFiles } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'

export default defineTool({
  name: 'create_directory',
  category: 'files',
  description: 'Creates a folder. Succeeds if the folder exists.',
  input: Type.Object(
    {
      path: Type.String({ description: 'Workspace-relative path.' }),
      parents: Type.Optional(Type.Boolean({ description: 'Create missing parent folders. Default: true.' }))
    },
    { additionalProperties: false }
  ),
  output: Type.Object({
    path: Type.String({ description: 'Folder path, with links resolved.' }),
    created: Type.Boolean({ description: 'True if the folder is new, false if it already existed.' })
  }),
  timeout_ms: 5_000,
  effect: 'write',
  traits: { idempotent: true },
  request: ({ path }) => ({ paths: [{ path, access: 'write' }] }),
  plan({ path, parents = true }, { host }) {
    assertCanCreate(path, parents, host.files)
    return { state: undefined, preview: () => ({ title: `Create folder ${path}` }) }
  },
  async run({ path, parents = true }, { host }) {
    const { path: canonical } = host.files.peek(path)
    const made = parents ? await host.files.makeDirectories(path) : await host.files.makeDirectory(path)
    return { path: canonical, created: made.length > 0 }
  },
  present: ({ path, created }) => ({
    title: path,
    content: created ? `Created ${path}.` : `${path} already existed.`
  })
})

/** Throws if the folder cannot be created, before an approval is requested. */
function assertCanCreate(path: string, parents: boolean, files: ReadFiles) {
  const { path: canonical, kind } = files.peek(path)
  if (kind === 'directory') return
  if (kind !== 'missing') throw new ToolError('FILE_EXISTS', `${path} already exists.`, { path })
  let above = dirname(canonical)
  while (parents && files.peek(above).kind === 'missing') above = dirname(above)
  const found = files.peek(above).kind
  if (found === 'missing') throw new ToolError('FILE_NOT_FOUND', `The folder ${above} does not exist.`, { path: above })
  if (found !== 'directory') throw new ToolError('NOT_A_DIRECTORY', `${above} is not a folder.`, { path: above })
}
