import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { fileDiff, unifiedDiff } from '../../text/diff/unified-diff.ts'
import { decode } from '../../text/encoding.ts'
import { findHiddenAscii } from '../../text/hidden-ascii.ts'
import type { FormerFile, ReadContext } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import { defineTool } from '../../tool/tool.ts'
import { irreversibleLossNotes } from './irreversible-loss.ts'
import { joinPathLines } from './shown-paths.ts'

const Input = Type.Object(
  {
    from: Type.String({ description: 'Workspace-relative path.' }),
    to: Type.String({ description: 'New path, including the name.' }),
    overwrite: Type.Optional(Type.Boolean({ description: 'Replace an existing file.' }))
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'move_file',
  category: 'files',
  description: 'Moves or renames a file or folder. Missing parent folders are created.',
  input: Input,
  output: Type.Object({
    from: Type.String({ description: 'Old path.' }),
    to: Type.String({ description: 'New path.' })
  }),
  timeout_ms: 10_000,
  effect: 'depends',
  // Also a read: otherwise credentials could be read under a harmless name without approval. The moved and the replaced entries
  // are the links themselves, not their targets.
  request: ({ from, to }, { host }) => ({
    effect: host.files.peekEntry(host.files.accept(to)).kind === 'missing' ? 'create' : 'write',
    paths: [
      { path: from, access: 'read', tree: true, entry: true },
      { path: from, access: 'write', tree: true, entry: true, renamed_to: to },
      { path: to, access: 'write', tree: true, entry: true }
    ]
  }),
  plan(input, ctx) {
    assertMovable(input, ctx)
    return { state: undefined, preview: () => previewMove(input, ctx) }
  },
  run({ from, to, overwrite }, { host }) {
    return overwrite ? host.files.moveOver(from, to) : host.files.move(from, to)
  },
  present: ({ from, to }) => ({ title: to, content: `Moved ${from} to ${to}.` })
})

type Move = Static<typeof Input>

function assertMovable({ from, to, overwrite }: Move, { host }: ReadContext) {
  if (host.files.peekEntry(from).kind === 'missing')
    throw new ToolError('FILE_NOT_FOUND', `${from} does not exist.`, { path: from })
  const { kind, path } = host.files.peekEntry(to)
  if (path.startsWith(`${host.files.peekEntry(from).path}/`))
    throw new ToolError('INVALID_PATH', `A folder cannot be moved into itself (${from}).`, { from, to })
  if (kind !== 'missing' && !overwrite) throw new ToolError('FILE_EXISTS', `${to} already exists.`, { path: to })
  if (kind === 'directory')
    throw new ToolError('NOT_A_FILE', `${to} is a folder. Folders are never overwritten: choose another path.`, {
      path: to
    })
}

async function previewMove(input: Move, ctx: ReadContext): Promise<Preview> {
  const { from, to } = input
  const { files } = ctx.host
  const shown = { title: `Move ${from} to ${to}`, ...(await describeMove(input, ctx)) }
  if (files.peekEntry(to).kind === 'missing') {
    const former = await ctx.history.formerFile(to)
    return former ? { ...shown, ...(await compareWith(former, input, ctx)), notes: [former.note] } : shown
  }
  return {
    ...shown,
    notes: [`Overwrites the existing ${to}.`, ...irreversibleLossNotes(await files.listTree(to), files)]
  }
}

/** Shows what leaves its place: a file as a rename in a diff, a folder as the list of what is in it. */
async function describeMove({ from, to }: Move, { host: { files } }: ReadContext): Promise<Partial<Preview>> {
  const source = files.peekEntry(from)
  if (source.kind === 'missing') return {}
  const target = files.peekEntry(to).path
  if (source.kind !== 'directory')
    return { diff: fileDiff({ path: source.path, text: undefined }, { path: target, text: undefined }).diff }
  const entries = (await files.listTree(from)).filter(({ type }) => type !== 'directory')
  const lines = entries.map(({ path }) => `${path} → ${target}${path.slice(source.path.length)}`)
  return { text: joinPathLines(lines) }
}

/** Compares the moved file with the one that stood at its new path. */
async function compareWith({ bytes }: FormerFile, { from, to }: Move, ctx: ReadContext): Promise<Partial<Preview>> {
  if (!bytes || !ctx.canReveal({ path: from, entry: true })) return {}
  const moved = (await ctx.host.files.snapshot(from))?.bytes
  const [before, after] = [decode(bytes), moved && decode(moved)]
  return before && after && findHiddenAscii(before, after) === undefined
    ? { diff: unifiedDiff(to, before.text, after.text).diff }
    : {}
}
