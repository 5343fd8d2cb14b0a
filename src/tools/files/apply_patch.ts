import { type Static, Type } from 'typebox'
import { invalidParam } from '../../errors.ts'
import type { Files } from '../../host/files/files.ts'
import { parseEncoding } from '../../host/files/parse-encoding.ts'
import type { TransactionStep } from '../../host/files/transaction/transaction-step.ts'
import { DIFF_TRUNCATED, truncatedDiffNotes } from '../../protocol/truncated-diff.ts'
import { limitOutputDiffs } from '../../text/diff/output-diff.ts'
import { unifiedDiff } from '../../text/diff/unified-diff.ts'
import { decode } from '../../text/encoding.ts'
import type { AppliedHunk } from '../../text/patch/apply.ts'
import { parsePatch } from '../../text/patch/patch.ts'
import type { Patch, PatchSection } from '../../text/patch/patch-model.ts'
import { truncateText } from '../../text/truncate-text.ts'
import type { LookupHost, ReadContext } from '../../tool/contexts.ts'
import type { Effect, PathUse } from '../../tool/request.ts'
import { defineTool } from '../../tool/tool.ts'
import { ifMatch } from './if-match.ts'
import { toInvalidPatchError } from './patch/errors.ts'
import { GIT_PATCH } from './patch/git-patch.ts'
import { type FileOutcome, planPatch } from './patch/plan.ts'

const Input = Type.Object(
  {
    patch: Type.String({
      minLength: 1,
      description: 'Patch from "*** Begin Patch" to "*** End Patch", or unified diff.'
    }),
    strip: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'Leading folders to strip from paths of a unified diff. Default: prefixes such as a/ and b/.'
      })
    ),
    encoding: Type.Optional(
      Type.String({
        description: 'Encoding of new files, and of files whose encoding is uncertain, such as shift_jis.'
      })
    ),
    if_match: Type.Optional(
      Type.Record(Type.String(), ifMatch('Expected sha256 of the file.'), {
        description: 'sha256 of files by path: fail if one differs.'
      })
    )
  },
  { additionalProperties: false }
)

const HunkOutput = Type.Object({
  line: Type.Integer({ description: 'Line at which the hunk starts in the file before the patch.' }),
  match: Type.Enum(['exact', 'line_endings', 'whitespace', 'indentation', 'look_alikes', 'line_number'], {
    description: 'How the hunk was found: exactly, with a tolerated difference, or only by its line number.'
  }),
  offset: Type.Optional(
    Type.Integer({
      description:
        'Distance in lines from the position in the patch to the position where the hunk was applied, downwards; unified diffs only.'
    })
  ),
  fuzz: Type.Integer({
    description: 'Number of context lines at the start and end of the hunk that were ignored to find its position.'
  })
})

export default defineTool({
  name: 'apply_patch',
  category: 'files',
  description: 'Applies a complete patch to text files, or nothing: changes, creates, moves and deletes files.',
  input: Input,
  output: Type.Object({
    files: Type.Array(
      Type.Object({
        path: Type.String({ description: 'File path, with links resolved.' }),
        operation: Type.Enum(['created', 'modified', 'deleted', 'moved'], {
          description: 'Kind of change: created, modified, deleted or moved.'
        }),
        from: Type.Optional(Type.String({ description: 'Old path of a moved file.' })),
        diff: Type.String({ description: 'Changes of the file as a diff in the format of git.' }),
        diff_truncated: DIFF_TRUNCATED,
        git_patch: GIT_PATCH,
        encoding: Type.Optional(Type.String({ description: 'Encoding of the file, if not UTF-8.' })),
        notes: Type.Optional(
          Type.Array(Type.String({ description: 'A sentence.' }), { description: 'Notes on a guessed encoding.' })
        ),
        hash: Type.Optional(Type.String({ description: 'sha256 of the new content.' })),
        hunks: Type.Array(HunkOutput, { description: 'Positions of the hunks in this file.' })
      }),
      { description: 'Changed files.' }
    )
  }),
  // A patch may change thousands of files, each of which is stored for undo first.
  timeout_ms: 120_000,
  effect: 'depends',
  traits: { plansFromFiles: true },
  // Its answers, errors too, reveal parts of the changed files.
  request(input, { host }) {
    const { sections } = parseInput(input)
    const paths = pathUses(input, sections)
    const written = new Set(paths.flatMap(({ path, access }) => (access === 'write' ? [path] : [])))
    for (const named of Object.keys(input.if_match ?? {}))
      if (!written.has(named)) throw invalidParam('if_match', `contains ${named}, which the patch does not change.`)
    return { effect: effectOf(sections, host), paths }
  },
  async plan(input, ctx, { paths = [] }) {
    const patch = parseInput(input)
    const title = titleOf(patch)
    if (!paths.every(use => ctx.canReveal(use)))
      return {
        state: undefined,
        reasons: input.encoding === undefined ? { ask: WITHHELD_NOTE } : { strict: WITHHELD_NOTE },
        preview: () => ({ title, text: input.patch, notes: [WITHHELD_NOTE] })
      }
    const state = await planInput(input, patch, ctx)
    const [strict] = state.strictReasons
    const [ask] = state.concerns
    return {
      state,
      reasons: strict === undefined ? { ...(ask !== undefined && { ask }) } : { strict },
      async preview() {
        const shown = await Promise.all(state.files.map((file, i) => compareWithFormer(file, state.steps[i]!, ctx)))
        const notes = [
          ...shown.flatMap(({ note }) => note ?? []),
          ...state.notes,
          ...state.encodings,
          ...state.strictReasons
        ]
        return { title, diff: shown.map(({ diff }) => diff).join(''), ...(notes.length > 0 && { notes }) }
      }
    }
  },
  async run(input, ctx, planned: PlannedInput | undefined) {
    const { steps, files } = planned ?? (await planInput(input, parseInput(input), ctx))
    await perform(steps, ctx.host.files)
    return { files: limitOutputDiffs(files) }
  },
  present({ files }, input) {
    const notes = files.flatMap(file => [...hunkNotes(file), ...encodingNotes(file)])
    const list = files.map(({ operation, path, from }) => `${MARKS[operation]} ${from ? `${from} → ` : ''}${path}`)
    return {
      title: files.length === 1 ? files[0]!.path : `${files.length} files`,
      content: truncateText(
        [...list, ...notes, files.map(({ diff }) => diff).join(''), ...truncatedDiffNotes(files)].join('\n')
      ),
      metadata: { files: files.length, form: parseInput(input).form }
    }
  }
})

type Input = Static<typeof Input>

const MARKS = { created: 'A', modified: 'M', deleted: 'D', moved: 'R' }

const WITHHELD_NOTE =
  'Reading one of the files requires approval: the result shows if the patch applies, and at which lines, after approval.'

function parseInput(input: Input): Patch {
  if (!input.patch.isWellFormed()) throw invalidParam('patch', 'is not valid Unicode.')
  try {
    return parsePatch(input.patch, input.strip)
  } catch (error) {
    throw toInvalidPatchError(error)
  }
}

/** Deletions have the same effect level as in the delete tool. */
function effectOf(sections: readonly PatchSection[], { files }: LookupHost): Effect {
  if (sections.some(({ does }) => does === 'delete')) return 'destructive'
  const onlyNew = sections.every(
    ({ does, path }) => does === 'add' && files.peek(files.accept(path)).kind === 'missing'
  )
  return onlyNew ? 'create' : 'write'
}

function pathUses(input: Input, sections: readonly PatchSection[]): PathUse[] {
  // Removals and moves act on the entry itself.
  const gone = sections.filter(({ does, to }) => does === 'delete' || (does === 'update' && to !== undefined))
  const entries = new Set(gone.map(({ path }) => path))
  const uses = new Map<string, PathUse>()
  const use = (path: string, access: 'read' | 'write') => {
    const if_match = access === 'write' ? input.if_match?.[path] : undefined
    uses.set(`${access} ${path}`, { path, access, entry: entries.has(path), if_match })
  }
  for (const { does, path, to } of sections) {
    if (does !== 'copy') use(path, 'write')
    if (does !== 'add') use(path, 'read')
    if (to !== undefined) use(to, 'write')
  }
  return [...uses.values()]
}

function titleOf({ sections }: Patch) {
  const paths = new Set(sections.map(({ path }) => path))
  return paths.size === 1 ? `Patch ${[...paths][0]}` : `Patch ${paths.size} files`
}

/** Plans the whole patch without saving it, and lists the tolerated deviations: all of them, and those that a person must see. */
async function planInput(input: Input, { sections, notes }: Patch, ctx: ReadContext) {
  const encoding = input.encoding === undefined ? undefined : parseEncoding(input.encoding)
  const plan = await planPatch(sections, encoding, ctx)
  const concerns = [...notes, ...plan.files.flatMap(file => hunkNotes(file, needsReview))]
  return {
    ...plan,
    concerns,
    notes: [...notes, ...plan.files.flatMap(file => [...hunkNotes(file), ...encodingNotes(file)])]
  }
}

type PlannedInput = Awaited<ReturnType<typeof planInput>>

/** Compares a new file with the one that stood at its path until an earlier call took it away, if any. */
async function compareWithFormer({ path, diff }: FileOutcome, step: TransactionStep, ctx: ReadContext) {
  if (step.do !== 'write' || step.was || !(step.content instanceof Uint8Array)) return { diff }
  const former = await ctx.history.formerFile(step.path)
  const [before, after] = [former?.bytes, step.content].map(bytes => bytes && decode(Buffer.from(bytes)))
  return {
    diff: before && after ? unifiedDiff(path, before.text, after.text).diff : diff,
    ...(former && { note: former.note })
  }
}

/** A single file may be changed in an editor's unsaved buffer; several are changed atomically, which is possible only on disk. */
async function perform(steps: readonly TransactionStep[], files: Files) {
  const [step] = steps
  const inEditor = steps.length === 1 && step?.do === 'write' && step.mode === undefined && step.was?.unsaved
  if (inEditor) await files.replace(step.path, step.was!, step.content, step.lines)
  else await files.runTransaction(steps)
}

const needsReview = ({ match, fuzz }: AppliedHunk) => fuzz > 0 || (match !== 'exact' && match !== 'line_endings')

const isNotable = ({ match, fuzz }: AppliedHunk) => fuzz > 0 || match !== 'exact'

/** Returns notes on tolerated deviations in a file's hunks. */
function hunkNotes({ path, hunks }: FileOutcome, isReported = isNotable): string[] {
  return hunks.flatMap((hunk, i) =>
    isReported(hunk) ? [`Hunk ${i + 1} of ${path}, at line ${hunk.line}, ${describeMatch(hunk)}.`] : []
  )
}

/** With several files, notes must name the one concerned. */
const encodingNotes = ({ path, notes = [] }: FileOutcome) => notes.map(note => `${path}: ${note}`)

function describeMatch({ match, fuzz }: AppliedHunk) {
  const lines = fuzz === 1 ? '1 line' : `${fuzz} lines`
  const left = fuzz > 0 ? [`matches if up to ${lines} of context at its start and end are ignored`] : []
  const forgiven = MATCH_DESCRIPTIONS[match]
  return [...left, ...(forgiven ? [forgiven] : [])].join(' and ')
}

const MATCH_DESCRIPTIONS: Partial<Record<AppliedHunk['match'], string>> = {
  line_endings: 'matches with different line endings',
  whitespace: 'matches with different white space at line ends',
  indentation: 'matches with a different indentation, which is also applied to the new lines',
  look_alikes: 'matches with look-alike characters',
  line_number: 'has no context lines, so its position is known only from its line number'
}
