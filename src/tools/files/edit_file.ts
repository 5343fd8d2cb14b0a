import { type Static, Type } from 'typebox'
import { truncateText } from '../../text/truncate-text.ts'
import { defineTool } from '../../tool/tool.ts'
import { truncatedDiffNotes } from '../../tool/truncated-diff.ts'
import {
  applyEdits,
  blindPreview,
  EDIT_OUTCOME_FIELDS,
  EDIT_PARAMS,
  EDITED_FILE_FIELDS,
  EDITED_FILE_PARAMS,
  editSubject,
  matchNote,
  planFileEdits,
  previewEncoding,
  reviewBlindly,
  reviewEdits,
  reviewReason
} from './edit/file-edits.ts'
import { ifMatch } from './if-match.ts'

const Input = Type.Object(
  {
    path: Type.String({ description: 'File to edit, relative to the workspace root.' }),
    ...EDIT_PARAMS,
    ...EDITED_FILE_PARAMS,
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
    ...EDIT_OUTCOME_FIELDS,
    ...EDITED_FILE_FIELDS
  }),
  timeout_ms: 10_000,
  effect: 'write',
  subject: editSubject,
  async always_ask(input, ctx) {
    if (!ctx.canReveal(input)) return reviewBlindly(input)
    const plan = await planFileEdits(toEditRequest(input), ctx)
    return reviewEdits(plan, [reviewReason(plan.edits[0]!) ?? []].flat())
  },
  async preview(input, ctx) {
    if (!ctx.canReveal(input)) return blindPreview(toEditRequest(input))
    const plan = await planFileEdits(toEditRequest(input), ctx)
    const { edits, diff } = plan
    const { replacements } = edits[0]!
    const places = replacements === 1 ? '' : ` in ${replacements} places`
    const notes = [...previewEncoding(plan), matchNote(edits[0]!) ?? []].flat()
    return { title: `Edit ${input.path}${places}`, diff: diff.diff, ...(notes.length > 0 && { notes }) }
  },
  async run(input, ctx) {
    const { path, edits, ...rest } = await applyEdits(toEditRequest(input), ctx)
    return { path, applied: true, ...edits[0]!, ...rest }
  },
  present: ({ path, replacements, match, similarity, diff, diff_truncated, hash, notes = [] }) => ({
    title: path,
    content: truncateText(
      [
        `Replaced ${replacements} ${replacements === 1 ? 'place' : 'places'} in ${path}.`,
        matchNote({ replacements, match, similarity }) ?? [],
        notes,
        diff,
        truncatedDiffNotes([{ diff_truncated }])
      ]
        .flat()
        .join('\n')
    ),
    metadata: { match, similarity, replacements, hash }
  })
})

/** The params of a single edit are at the top level. */
const toEditRequest = ({ path, encoding, ...edit }: Static<typeof Input>) => ({
  path,
  encoding,
  edits: [{ at: '', edit }]
})
