import { type Static, Type } from 'typebox'
import { truncatedDiffNotes } from '../../protocol/truncated-diff.ts'
import { truncateText } from '../../text/truncate-text.ts'
import { defineTool } from '../../tool/tool.ts'
import {
  applyEdits,
  EDIT_OUTCOME_FIELDS,
  EDIT_PARAMS,
  EDITED_FILE_PARAMS,
  matchNote,
  type PlannedEdits,
  planBlindly,
  planFileEdits,
  reviewReason
} from './edit/file-edits.ts'
import { EDITED_FILE_FIELDS, editRequest, previewEncoding, reviewEdits } from './edit/planned-change.ts'
import { ifMatch } from './if-match.ts'

const Input = Type.Object(
  {
    path: Type.String({ description: 'Workspace-relative path.' }),
    ...EDIT_PARAMS,
    ...EDITED_FILE_PARAMS,
    if_match: Type.Optional(ifMatch('Fail unless the file has this hash.'))
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'edit_file',
  category: 'files',
  description:
    'Replaces text in a file. Differences in line endings, white space and escapes, and small typos, are tolerated; the result reports them.',
  input: Input,
  output: Type.Object({
    path: Type.String({ description: 'File path, with links resolved.' }),
    applied: Type.Boolean({ description: 'Always true: if the edit does not apply, the call fails.' }),
    ...EDIT_OUTCOME_FIELDS,
    ...EDITED_FILE_FIELDS
  }),
  timeout_ms: 10_000,
  effect: 'write',
  traits: { plansFromFiles: true },
  request: editRequest,
  async plan(input, ctx) {
    if (!ctx.canReveal(input)) return planBlindly(toEdits(input))
    const state = await planFileEdits(toEdits(input), ctx)
    const [edit] = state.edits
    return {
      state,
      ...reviewEdits(state, [reviewReason(edit!) ?? []].flat()),
      preview() {
        const { replacements } = edit!
        const places = replacements === 1 ? '' : ` in ${replacements} places`
        const notes = [...previewEncoding(state), matchNote(edit!) ?? []].flat()
        return { title: `Edit ${input.path}${places}`, diff: state.diff.diff, ...(notes.length > 0 && { notes }) }
      }
    }
  },
  async run(input, ctx, planned: PlannedEdits | undefined) {
    const { path, edits, ...rest } = await applyEdits(toEdits(input), ctx, planned)
    return { path, applied: true, ...edits[0]!, ...rest }
  },
  present: ({ path, replacements, match, similarity, uncertain, diff, diff_truncated, hash, notes = [] }) => ({
    title: path,
    content: truncateText(
      [
        `Replaced ${replacements} ${replacements === 1 ? 'place' : 'places'} in ${path}.`,
        matchNote({ replacements, match, similarity, ...(uncertain && { uncertain }) }) ?? [],
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
const toEdits = ({ path, encoding, ...edit }: Static<typeof Input>) => ({
  path,
  encoding,
  edits: [{ at: '', edit }]
})
