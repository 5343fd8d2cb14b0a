import { type Static, Type } from 'typebox'
import { defineTool } from '../../tool.ts'
import { blindPreview, concernOf, EDIT, noteOf, OUTCOME, planned, UNSEEN_NOTE } from './editing.ts'
import { GIT_PATCH } from './git-patch.ts'
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
    diff: Type.String({ description: 'What changed, as a unified diff.' }),
    git_patch: GIT_PATCH,
    hash: Type.String({ description: 'sha256 of the new content.' })
  }),
  timeout_ms: 10_000,
  effect: 'write',
  // Its answers, refusals too, show parts of the file.
  subject: ({ path, if_match }) => ({
    paths: [
      { path, access: 'write', if_match },
      { path, access: 'read' }
    ]
  }),
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
    const { was, bytes, edits, diff, patch } = await planned(given(input), ctx)
    const { added, removed } = diff
    const { path, hash } = await ctx.host.files.replace(input.path, was, bytes, () => ({ added, removed }))
    return { path, applied: true, ...edits[0]!, diff: diff.diff, ...patch, hash }
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
