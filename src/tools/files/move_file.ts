import { Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { defineTool } from '../../tool/tool.ts'
import { irreversibleLossNotes } from './irreversible-loss.ts'

export default defineTool({
  name: 'move_file',
  category: 'files',
  description: 'Move or rename a file or folder. Folders missing above the new place are made.',
  input: Type.Object(
    {
      from: Type.String({ description: 'What to move, relative to the workspace root.' }),
      to: Type.String({ description: 'Its new path, not the folder to put it in.' }),
      overwrite: Type.Optional(Type.Boolean({ description: 'Replace a file that is at the new path.' }))
    },
    { additionalProperties: false }
  ),
  output: Type.Object({
    from: Type.String({ description: 'Where it was.' }),
    to: Type.String({ description: 'Where it is.' })
  }),
  timeout_ms: 10_000,
  effect: ({ to }, { host }) => (host.files.peekEntry(to).kind === 'missing' ? 'create' : 'write'),
  // Also a read: otherwise credentials could be read under a harmless name without approval. The moved and the replaced entries
  // are the links themselves, not their targets.
  subject: ({ from, to }) => ({
    paths: [
      { path: from, access: 'read', tree: true, entry: true },
      { path: from, access: 'write', tree: true, entry: true, renamed_to: to },
      { path: to, access: 'write', tree: true, entry: true }
    ]
  }),
  check({ from, to, overwrite }, { host }) {
    if (host.files.peekEntry(from).kind === 'missing')
      throw new ToolError('FILE_NOT_FOUND', `${from} does not exist.`, { path: from })
    const { kind } = host.files.peekEntry(to)
    if (kind !== 'missing' && !overwrite) throw new ToolError('FILE_EXISTS', `${to} exists already.`, { path: to })
    if (kind === 'directory')
      throw new ToolError('NOT_A_FILE', `${to} is a folder, which is never overwritten.`, { path: to })
  },
  async preview({ from, to }, { host: { files } }) {
    const title = `Move ${from} to ${to}`
    if (files.peekEntry(to).kind === 'missing') return { title }
    return {
      title,
      notes: [`${to} exists and is overwritten.`, ...irreversibleLossNotes(await files.listTree(to), files)]
    }
  },
  run({ from, to, overwrite }, { host }) {
    return overwrite ? host.files.moveOver(from, to) : host.files.move(from, to)
  },
  present: ({ from, to }) => ({ title: to, content: `Moved ${from} to ${to}.` })
})
