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

const MAX_EDITS = 200

const Input = Type.Object(
  {
    path: Type.String({ description: 'Workspace-relative path.' }),
    edits: Type.Array(Type.Object(EDIT_PARAMS, { additionalProperties: false }), {
      minItems: 1,
      maxItems: MAX_EDITS,
      description: 'Edits, each applied to the result of the previous one.'
    }),
    ...EDITED_FILE_PARAMS,
    if_match: Type.Optional(ifMatch('Fail unless the file has this hash.'))
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'multi_edit',
  category: 'files',
  description: 'Replaces several texts in one file, or none. Each is matched as in edit_file.',
  input: Input,
  output: Type.Object({
    path: Type.String({ description: 'File path, with links resolved.' }),
    applied: Type.Boolean({ description: 'Always true: if an edit does not apply, the call fails.' }),
    edits: Type.Array(Type.Object(EDIT_OUTCOME_FIELDS), {
      description: 'Results of the edits, in the order of `edits`.'
    }),
    ...EDITED_FILE_FIELDS
  }),
  timeout_ms: 10_000,
  effect: 'write',
  traits: { plansFromFiles: true },
  request: editRequest,
  async plan(input, ctx) {
    if (!ctx.canReveal(input)) return planBlindly(toEdits(input))
    const state = await planFileEdits(toEdits(input), ctx)
    const { edits, diff } = state
    return {
      state,
      ...reviewEdits(state, numberedNotes(edits, reviewReason)),
      preview() {
        const notes = [...previewEncoding(state), ...numberedNotes(edits, matchNote)]
        return {
          title: `Edit ${input.path}: ${edits.length} ${edits.length === 1 ? 'edit' : 'edits'}`,
          diff: diff.diff,
          ...(notes.length > 0 && { notes })
        }
      }
    }
  },
  async run(input, ctx, planned: PlannedEdits | undefined) {
    const { path, ...rest } = await applyEdits(toEdits(input), ctx, planned)
    return { path, applied: true, ...rest }
  },
  present: ({ path, edits, diff, diff_truncated, hash, notes = [] }) => ({
    title: path,
    content: truncateText(
      [
        `Applied ${edits.length} ${edits.length === 1 ? 'edit' : 'edits'} to ${path}.`,
        ...numberedNotes(edits, matchNote),
        ...notes,
        diff,
        ...truncatedDiffNotes([{ diff_truncated }])
      ].join('\n')
    ),
    metadata: { edits, hash }
  })
})

const toEdits = ({ path, edits, encoding }: Static<typeof Input>) => ({
  path,
  encoding,
  edits: edits.map((edit, i) => ({ at: `edits/${i}/`, edit }))
})

/** Returns notes on some of the edits, with their numbers. */
function numberedNotes<E>(edits: readonly E[], say: (edit: E) => string | undefined): string[] {
  return edits.flatMap((edit, i) => {
    const text = say(edit)
    return text === undefined ? [] : [`Edit ${i + 1}: ${text}`]
  })
}
