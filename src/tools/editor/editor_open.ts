import { Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import { defineTool } from '../../tool/tool.ts'
import { FRONT_END } from './front-end.ts'

const place = (what: string) => Type.Integer({ minimum: 1, description: `${what}, from 1.` })

export default defineTool({
  name: 'editor_open',
  category: 'editor',
  description: "Shows a file in the user's editor without taking the focus. Fails if no editor is connected.",
  input: Type.Object(
    {
      path: Type.String({ minLength: 1, description: 'Workspace-relative path.' }),
      line: Type.Optional(place('Line')),
      column: Type.Optional(place('Column'))
    },
    { additionalProperties: false }
  ),
  output: Type.Object({
    path: Type.String({ description: 'File path, with links resolved.' }),
    line: Type.Optional(place('Requested line')),
    column: Type.Optional(place('Requested column')),
    front_end: FRONT_END
  }),
  timeout_ms: 15_000,
  effect: 'read',
  request: ({ path }) => ({ paths: [{ path, access: 'read' }] }),
  plan({ path, line, column }, { host: { files }, delegate }) {
    if (column !== undefined && line === undefined) throw invalidParam('column', 'requires `line`.')
    const { kind } = files.peek(path)
    if (kind === 'missing' && !files.unsaved(path))
      throw new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path })
    if (kind === 'directory' || kind === 'other') throw new ToolError('NOT_A_FILE', `${path} is not a file.`, { path })
    delegate.assertAvailable('editor.open')
    return { state: undefined }
  },
  async run({ path: given, line, column }, { host, delegate }) {
    const { path } = host.files.peek(given)
    const at = { path, ...(line !== undefined && { line }), ...(column !== undefined && { column }) }
    const { client } = await delegate('editor.open', at)
    return { ...at, front_end: client }
  },
  present: ({ path, line, front_end }) => ({
    title: line === undefined ? path : `${path}:${line}`,
    content: `${front_end} shows ${path}${line === undefined ? '' : ` at line ${line}`}.`
  }),
  traits: { awaitsFrontEnd: true }
})
