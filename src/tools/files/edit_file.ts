import { setImmediate } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import { HASH_LIMIT } from '../../host/files.ts'
import { type Diff, unifiedDiff } from '../../text/diff.ts'
import { applyEdit, type Candidate, type NotEdited } from '../../text/edit.ts'
import { decode, encode } from '../../text/encoding.ts'
import { type Context, defineTool } from '../../tool.ts'

const Input = Type.Object(
  {
    path: Type.String({ description: 'File to edit, relative to the workspace root.' }),
    old: Type.String({
      minLength: 1,
      description: 'The text to replace, with enough around it to be the only such place.'
    }),
    new: Type.String({ description: 'The text to put in its place, taken literally.' }),
    replace_all: Type.Optional(Type.Boolean({ description: 'Replace every place instead of the only one.' })),
    if_match: Type.Optional(Type.String({ description: 'Edit only if the file still has this hash.' }))
  },
  { additionalProperties: false }
)

/** How long looking for similar text may take. */
const SEARCH_LIMIT_MS = 3_000
const CANDIDATE_LINES = 20

export default defineTool({
  name: 'edit_file',
  category: 'files',
  description:
    'Replace one piece of text in a file. It need not be quoted exactly: line endings, white space and small slips are forgiven, and what matched is told.',
  input: Input,
  output: Type.Object({
    path: Type.String({ description: 'The file edited, links followed.' }),
    applied: Type.Boolean({ description: 'Always true: an edit that does not apply is an error.' }),
    replacements: Type.Integer({ description: 'How many places were replaced.' }),
    match: Type.Enum(['exact', 'line_endings', 'whitespace', 'indentation', 'fuzzy'], {
      description: 'How the old text was found: exactly, or forgiving what is named.'
    }),
    similarity: Type.Number({ description: '1 unless the match is fuzzy.' }),
    diff: Type.String({ description: 'What changed, as a unified diff.' }),
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
    if (isSecret(input, ctx)) return SECRET_NOTE
    const { match, similarity } = await planned(input, ctx)
    return match === 'fuzzy' ? fuzzyNote(similarity) : undefined
  },
  async preview(input, ctx) {
    if (isSecret(input, ctx)) return blindPreview(input)
    const { match, similarity, replacements, ...plan } = await planned(input, ctx)
    const places = replacements === 1 ? '' : ` in ${replacements} places`
    const notes = match === 'exact' ? [] : [match === 'fuzzy' ? fuzzyNote(similarity) : TOLERANCES[match]]
    return { title: `Edit ${input.path}${places}`, diff: plan.diff().diff, ...(notes.length > 0 && { notes }) }
  },
  async run(input, ctx) {
    const { was, bytes, diff, match, similarity, replacements } = await planned(input, ctx)
    const { path, hash } = await ctx.host.files.replace(input.path, was, bytes, () => {
      const { added, removed } = diff()
      return { added, removed }
    })
    return { path, applied: true, replacements, match, similarity, diff: diff().diff, hash }
  },
  present: ({ path, replacements, match, similarity, diff, hash }) => ({
    title: path,
    content: [
      `Replaced ${replacements} ${replacements === 1 ? 'place' : 'places'} in ${path}.`,
      ...(match === 'exact' ? [] : [match === 'fuzzy' ? fuzzyNote(similarity) : TOLERANCES[match]]),
      diff
    ].join('\n'),
    metadata: { match, similarity, replacements, hash }
  })
})

type Input = Static<typeof Input>

const TOLERANCES = {
  line_endings: 'The old text matched with other line endings.',
  whitespace: 'The old text matched with other white space at line ends.',
  indentation: 'The old text matched with another indentation; the new text was indented to fit.'
}

const fuzzyNote = (similarity: number) =>
  `The old text is not in the file: the nearest place, ${Math.floor(similarity * 100)} % similar, is replaced.`

const SECRET_NOTE = 'The file holds credentials: whether and where the old text is in it is told once approved.'

const isSecret = ({ path }: Input, { host }: Context) => host.files.peek(path).sensitive

/** Made of the params alone: whoever submits a call sees its preview, before anybody allows the file to be read. */
const blindPreview = ({ path, ...edit }: Input) => ({
  title: `Edit ${path}`,
  diff: unifiedDiff(path, edit.old, edit.new).diff,
  notes: [SECRET_NOTE]
})

/** The whole edit, but for saving it. Preview shows this and run saves this. */
async function planned(input: Input, ctx: Context) {
  const { path } = input
  if (input.old === input.new) throw invalidParam('new', 'is the same as old.')
  if (!input.new.isWellFormed()) throw invalidParam('new', 'is not valid Unicode.')
  const was = await ctx.host.files.look(path)
  if (!was) throw new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path })
  if (!was.bytes) {
    throw new ToolError('TOO_LARGE', `${path} has ${was.size} bytes; files over ${HASH_LIMIT} are not edited.`, {
      path
    })
  }
  const before = decode(was.bytes)
  if (!before) throw new ToolError('BINARY_FILE', `${path} is not text.`, { path })
  const edit = { old: input.old, new: input.new, places: input.replace_all ? ('all' as const) : ('one' as const) }
  const edited = await applyEdit(before.text, before.eol, edit, breathing(ctx.signal))
  if (edited.outcome !== 'edited') throw notEdited(was.path, input, edited)
  const bytes = encode(edited.text, before.encoding)
  if (!bytes) throw invalidParam('new', `has characters that the file's encoding, ${before.encoding}, does not have.`)
  if (bytes.equals(was.bytes)) throw invalidParam('new', 'is in the file already.')
  let diff: Diff | undefined
  return { was, bytes, diff: () => (diff ??= unifiedDiff(was.path, before.text, edited.text)), ...edited }
}

function breathing(signal: AbortSignal) {
  const end = performance.now() + SEARCH_LIMIT_MS
  return async () => {
    await setImmediate()
    signal.throwIfAborted()
    return performance.now() < end
  }
}

function notEdited(path: string, input: Input, { outcome, match, candidates, places, complete }: NotEdited) {
  const shown = candidates.map(candidate => ({
    path,
    start_line: candidate.start_line,
    end_line: candidate.end_line,
    similarity: candidate.similarity,
    diff: candidateDiff(path, input.old, candidate)
  }))
  const where = candidates.map(({ start_line, end_line, similarity }) => {
    const lines = start_line === end_line ? `line ${start_line}` : `lines ${start_line} to ${end_line}`
    return `${lines} (${Math.floor(similarity * 100)} %)`
  })
  const details = { path, match, places, candidates: shown, search_complete: complete }
  if (outcome === 'ambiguous') {
    const text = `The old text fits ${places} places in ${path}: ${where.join(', ')}${places > where.length ? ' …' : ''}. Quote more around it, or use replace_all.`
    return new ToolError('AMBIGUOUS_MATCH', text, details)
  }
  const nearest = where.length > 0 ? ` Nearest: ${where.join(', ')}.` : ''
  const ended = complete ? '' : ' The search took too long and was ended; quote less text.'
  return new ToolError('OLD_TEXT_NOT_FOUND', `The old text is not in ${path}.${nearest}${ended}`, details)
}

/** How the quoted text differs from what stands there, bounded. */
function candidateDiff(path: string, old: string, { text }: Candidate) {
  const wanted = old.endsWith('\n') || !text.endsWith('\n') ? old : `${old}\n`
  const lines = unifiedDiff(path, wanted, text).diff.split('\n').slice(2)
  return lines.length > CANDIDATE_LINES ? [...lines.slice(0, CANDIDATE_LINES), '…'].join('\n') : lines.join('\n')
}
