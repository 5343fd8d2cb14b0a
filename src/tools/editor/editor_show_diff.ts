import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import type { FileSnapshot } from '../../host/files/file-snapshot.ts'
import { DIFF_TRUNCATED, truncatedDiffNotes } from '../../protocol/truncated-diff.ts'
import { limitOutputDiff } from '../../text/diff/output-diff.ts'
import { unifiedDiff } from '../../text/diff/unified-diff.ts'
import { decode } from '../../text/encoding.ts'
import type { ReadContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import { FRONT_END } from './front-end.ts'

/** Larger files are unsuitable for review by a person. */
const MAX_FILE_BYTES = 2 * 1024 * 1024
/** Time limit for a person's decision. */
const DECISION_TIMEOUT_MS = 600_000

const Input = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      description: 'Workspace-relative path of an existing or new file.'
    }),
    new_content: Type.String({ description: 'Complete text proposed for the file.' })
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'editor_show_diff',
  category: 'editor',
  description:
    "Shows proposed file content as a diff in the user's editor and waits until the user accepts, changes or rejects it. Does not write the file: use write_file or edit_file.",
  input: Input,
  output: Type.Object({
    path: Type.String({ description: 'File path, with links resolved.' }),
    hash: Type.Optional(
      Type.String({ description: 'sha256 of the shown file, for `if_match` of write_file or edit_file.' })
    ),
    decision: Type.Enum(['accepted', 'rejected'], { description: 'Decision of the user.' }),
    edited: Type.Boolean({ description: 'True if the user changed the proposed text and accepted the changed text.' }),
    content: Type.Optional(Type.String({ description: 'Accepted text, if the user changed the proposal.' })),
    diff: Type.Optional(Type.String({ description: "The user's changes to the proposal, as a unified diff." })),
    diff_truncated: DIFF_TRUNCATED,
    comment: Type.Optional(Type.String({ description: 'Comment of the user.' })),
    front_end: FRONT_END
  }),
  timeout_ms: DECISION_TIMEOUT_MS,
  effect: 'read',
  request: ({ path }) => ({ paths: [{ path, access: 'read' }] }),
  async plan(input, ctx) {
    const state = await proposal(input, ctx)
    ctx.delegate.assertAvailable('editor.show_diff')
    return { state }
  },
  async run(_input, ctx, { hash, ...proposed }) {
    const { path, after } = proposed
    const { answer, client } = await ctx.delegate('editor.show_diff', proposed, { ms: DECISION_TIMEOUT_MS })
    const { decision, content, comment } = answer
    const edited = decision === 'accepted' && content !== undefined && content !== after
    return {
      path,
      ...(hash !== undefined && { hash }),
      decision,
      edited,
      ...(edited && { content, ...limitOutputDiff({ diff: unifiedDiff(path, after, content).diff }) }),
      ...(comment !== undefined && { comment }),
      front_end: client
    }
  },
  present({ path, decision, edited, diff, diff_truncated, comment, front_end }) {
    const words = decision === 'rejected' ? 'Rejected' : edited ? 'Accepted with changes' : 'Accepted as proposed'
    const still = decision === 'accepted' ? ' The file is not written yet.' : ''
    return {
      title: `${path}: ${words.toLowerCase()}`,
      content: [
        `${words} by the user in ${front_end}.${still}`,
        ...(comment === undefined ? [] : [`Comment: ${comment}`]),
        ...(edited ? ['Changes to the proposal:', diff, ...truncatedDiffNotes([{ diff_truncated }])] : [])
      ].join('\n'),
      metadata: { decision, edited }
    }
  },
  traits: { awaitsFrontEnd: true }
})

/**
 * Returns the current text as the person sees it, and the proposed one; `hash` is of the content that writing the file would
 * replace.
 */
async function proposal({ path: given, new_content: after }: Static<typeof Input>, { host: { files } }: ReadContext) {
  const { path } = files.peek(given)
  const found = await files.snapshot(given)
  const before = files.unsaved(given)?.buffer.text ?? (found && decodeSaved(given, found))
  if (before === after) throw invalidParam('new_content', `equals the current content of ${given}.`)
  const { diff } = unifiedDiff(path, before, after)
  return { path, ...(before !== undefined && { before }), after, diff, hash: found?.hash }
}

function decodeSaved(path: string, { size, bytes }: FileSnapshot): string {
  if (!bytes || size > MAX_FILE_BYTES)
    throw new ToolError(
      'TOO_LARGE',
      `${path} has ${size} bytes; files over ${MAX_FILE_BYTES} cannot be shown as a diff.`,
      {
        path
      }
    )
  const text = decode(bytes)?.text
  if (text === undefined) throw new ToolError('BINARY_FILE', `${path} is not text.`, { path })
  return text
}
