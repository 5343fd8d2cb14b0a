import { type Static, Type } from 'typebox'
import { defineTool } from '../../tool/tool.ts'
import {
  applied,
  blindPreview,
  concernOf,
  EDIT,
  EDITED,
  editedFile,
  noteOf,
  OUTCOME,
  planned,
  UNSEEN_NOTE
} from './edit/file-edits.ts'
import { ifMatch } from './if-match.ts'

const EDITS_AT_ONCE = 200

const Input = Type.Object(
  {
    path: Type.String({ description: 'File to edit, relative to the workspace root.' }),
    edits: Type.Array(Type.Object(EDIT, { additionalProperties: false }), {
      minItems: 1,
      maxItems: EDITS_AT_ONCE,
      description: 'Applied in order, each to what the one before left.'
    }),
    if_match: Type.Optional(ifMatch('Edit only if the file still has this hash.'))
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'multi_edit',
  category: 'files',
  description:
    'Replace several pieces of text in one file, all of them or none. Each is found as edit_file finds its own, in what the edits before it left.',
  input: Input,
  output: Type.Object({
    path: Type.String({ description: 'The file edited, links followed.' }),
    applied: Type.Boolean({ description: 'Always true: edits that do not all apply are an error.' }),
    edits: Type.Array(Type.Object(OUTCOME), { description: 'How each of the edits went.' }),
    ...EDITED
  }),
  timeout_ms: 10_000,
  effect: 'write',
  subject: editedFile,
  async always_ask(input, ctx) {
    if (!ctx.may_show(input)) return UNSEEN_NOTE
    const { edits } = await planned(given(input), ctx)
    return told(edits, concernOf).join(' ') || undefined
  },
  async preview(input, ctx) {
    if (!ctx.may_show(input)) return blindPreview(given(input))
    const { edits, diff } = await planned(given(input), ctx)
    const notes = told(edits, noteOf)
    return {
      title: `Edit ${input.path}: ${edits.length} ${edits.length === 1 ? 'edit' : 'edits'}`,
      diff: diff.diff,
      ...(notes.length > 0 && { notes })
    }
  },
  async run(input, ctx) {
    const { path, ...told } = await applied(given(input), ctx)
    return { path, applied: true, ...told }
  },
  present: ({ path, edits, diff, hash }) => ({
    title: path,
    content: [
      `Applied ${edits.length} ${edits.length === 1 ? 'edit' : 'edits'} to ${path}.`,
      ...told(edits, noteOf),
      diff
    ].join('\n'),
    metadata: { edits, hash }
  })
})

const given = ({ path, edits }: Static<typeof Input>) => ({
  path,
  edits: edits.map((edit, i) => ({ at: `edits/${i}/`, edit }))
})

/** What is to be said of some of the edits, with which one it is. */
function told<E>(edits: readonly E[], say: (edit: E) => string | undefined): string[] {
  return edits.flatMap((edit, i) => {
    const text = say(edit)
    return text === undefined ? [] : [`Edit ${i + 1}: ${text}`]
  })
}
