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

const Input = Type.Object(
  {
    path: Type.String({ description: 'File to edit, relative to the workspace root.' }),
    ...EDIT,
    if_match: Type.Optional(ifMatch('Edit only if the file still has this hash.'))
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'edit_file',
  category: 'files',
  description:
    'Replace one piece of text in a file. It need not be quoted exactly: line endings, white space, escapes and small slips are forgiven, and what matched is told.',
  input: Input,
  output: Type.Object({
    path: Type.String({ description: 'The file edited, links followed.' }),
    applied: Type.Boolean({ description: 'Always true: an edit that does not apply is an error.' }),
    ...OUTCOME,
    ...EDITED
  }),
  timeout_ms: 10_000,
  effect: 'write',
  subject: editedFile,
  async always_ask(input, ctx) {
    if (!ctx.may_show(input)) return UNSEEN_NOTE
    const { edits } = await planned(given(input), ctx)
    return concernOf(edits[0]!)
  },
  async preview(input, ctx) {
    if (!ctx.may_show(input)) return blindPreview(given(input))
    const { edits, diff } = await planned(given(input), ctx)
    const { replacements } = edits[0]!
    const places = replacements === 1 ? '' : ` in ${replacements} places`
    const note = noteOf(edits[0]!)
    return { title: `Edit ${input.path}${places}`, diff: diff.diff, ...(note && { notes: [note] }) }
  },
  async run(input, ctx) {
    const { path, edits, ...told } = await applied(given(input), ctx)
    return { path, applied: true, ...edits[0]!, ...told }
  },
  present: ({ path, replacements, match, similarity, diff, hash }) => ({
    title: path,
    content: [
      `Replaced ${replacements} ${replacements === 1 ? 'place' : 'places'} in ${path}.`,
      noteOf({ replacements, match, similarity }) ?? [],
      diff
    ]
      .flat()
      .join('\n'),
    metadata: { match, similarity, replacements, hash }
  })
})

/** The params of the one edit are not within others. */
const given = ({ path, ...edit }: Static<typeof Input>) => ({ path, edits: [{ at: '', edit }] })
