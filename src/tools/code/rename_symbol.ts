import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import type { Respondent } from '../../host/lsp/language-service.ts'
import { limitOutputDiffs } from '../../text/diff/output-diff.ts'
import { escapeInvisible, escapeLine } from '../../text/escape-invisible.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import { type Context, defineTool } from '../../tool/tool.ts'
import { DIFF_TRUNCATED, truncatedDiffNotes } from '../../tool/truncated-diff.ts'
import { checkServerInstalled, LSP_TOOL, UNSANDBOXED_SERVER_REASON } from './lib/lsp-tool.ts'
import { POSITION_PARAMS, resolvePosition } from './lib/position-param.ts'
import {
  assertPlausible,
  hashAfter,
  planRename,
  type RenamePlan,
  renamePathUses,
  renameSteps
} from './lib/rename-plan.ts'
import { incompleteReason, Responder, responderNotes } from './lib/responder.ts'

const Input = Type.Object(
  {
    ...POSITION_PARAMS,
    new_name: Type.String({
      minLength: 1,
      maxLength: 1_000,
      // Servers insert any new name, including lines of code.
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
      description: 'What it is to be called; on one line, without control characters.'
    })
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

export default defineTool({
  ...LSP_TOOL,
  name: 'rename_symbol',
  description:
    'Rename the function, class, variable or other symbol at a place, wherever the language server of its project finds it: in all files or in none.',
  input: Input,
  output: Type.Object({
    files: Type.Array(
      Type.Object({
        path: Type.String({ description: 'The file, links followed.' }),
        from: Type.Optional(Type.String({ description: 'Where a moved file was.' })),
        edits: Type.Integer({ description: 'How many places in it were changed.' }),
        diff: Type.String({ description: 'What changed, as a unified diff.' }),
        diff_truncated: DIFF_TRUNCATED,
        hash: Type.String({ description: 'sha256 of the new content.' })
      }),
      { description: 'Every file that changed.' }
    ),
    answered: Responder
  }),
  effect: 'write',
  subject: ({ path }) => ({
    paths: [
      { path, access: 'read' },
      { path, access: 'write' }
    ]
  }),
  async touches(input, ctx) {
    REQUESTED_RENAMES.delete(ctx)
    // Without read permission nothing is shown, including the reason of a failure.
    if (!ctx.canReveal({ path: input.path })) return []
    const renaming = await requestRename(input, ctx)
    REQUESTED_RENAMES.set(ctx, renaming)
    return renamePathUses(renaming)
  },
  check(input, ctx) {
    requireRename(input, ctx)
  },
  async always_ask(_, ctx) {
    const renaming = REQUESTED_RENAMES.get(ctx)
    if (!renaming?.files.length || !renamePathUses(renaming).every(use => ctx.canReveal(use)))
      return incompleteNote(renaming?.answered)
    const strict = (await planRename(renaming, ctx)).files.find(
      ({ strictReason }) => strictReason !== undefined
    )?.strictReason
    return strict === undefined ? incompleteNote(renaming.answered) : { strict }
  },
  async preview(input, ctx) {
    SHOWN_PLANS.delete(ctx)
    const title = escapeInvisible(
      `Rename ${input.symbol ?? `${input.path}:${input.line}:${input.col}`} to ${input.new_name}`
    )
    const renaming = requireRename(input, ctx)
    if (!renamePathUses(renaming).every(use => ctx.canReveal(use)))
      return { title, text: renaming.files.map(({ path }) => escapeLine(path)).join('\n'), notes: [WITHHELD_NOTE] }
    const plan = await planRename(renaming, ctx)
    SHOWN_PLANS.set(ctx, plan)
    const notes = [incompleteNote(plan.answered), ...plan.files.map(({ strictReason }) => strictReason)].filter(
      note => note !== undefined
    )
    return {
      title,
      diff: plan.files.map(({ diff }) => diff.diff).join(''),
      ...(notes.length > 0 && { notes })
    }
  },
  async run(input, ctx) {
    const plan = await verifyShownPlan(input, ctx)
    await perform(plan, ctx)
    return {
      files: limitOutputDiffs(
        plan.files.map(file => ({
          path: file.movedTo ?? file.was.path,
          ...(file.movedTo !== undefined && { from: file.was.path }),
          edits: file.edits,
          diff: file.diff.diff,
          hash: hashAfter(file)
        }))
      ),
      answered: plan.answered
    }
  },
  present({ files, answered }, { new_name }) {
    const list = files.map(({ path, from, edits }) => `${from ? `R ${from} → ` : 'M '}${path} (${edits})`)
    const notes = [...truncatedDiffNotes(files), ...responderNotes([answered])]
    return {
      title: `${new_name}: ${files.length === 1 ? files[0]!.path : `${files.length} files`}`,
      content: [...truncateLines([...list, ...files.flatMap(({ diff }) => diff.trimEnd().split('\n'))]), ...notes].join(
        '\n'
      ),
      metadata: { files: files.length }
    }
  }
})

const WITHHELD_NOTE = 'A file may not be read without asking: what changes in it is told once approved.'
const SERVER_NOT_STARTED = `${UNSANDBOXED_SERVER_REASON} To look what a rename changes would start it with nobody asked: ask for the diagnostics of the file first.`

type RequestedRename = Awaited<ReturnType<typeof requestRename>>

/** The latest result of the server, and the part of it that was shown: exactly that is applied. */
const REQUESTED_RENAMES = new WeakMap<Context, RequestedRename>()
const SHOWN_PLANS = new WeakMap<Context, RenamePlan>()

async function requestRename(input: Input, ctx: Context) {
  const { languages } = ctx.host
  await checkServerInstalled(input, ctx)
  const at = await resolvePosition(input, ctx)
  if ((await languages.isolationLevel()) !== 'read-only' && !languages.isRunning(at.path))
    throw new ToolError('LSP_UNAVAILABLE', SERVER_NOT_STARTED)
  return assertPlausible(await languages.rename(at, input.new_name))
}

function requireRename({ path }: Input, ctx: Context): RequestedRename {
  const renaming = REQUESTED_RENAMES.get(ctx)
  if (renaming) return renaming
  throw new ToolError('PERMISSION_DENIED', `${path} may not be read without asking, so nothing in it is renamed.`, {
    path
  })
}

/** Reads the current files, which must still match the plan. */
async function verifyShownPlan(input: Input, ctx: Context): Promise<RenamePlan> {
  const plan = SHOWN_PLANS.get(ctx) ?? (await planRename(requireRename(input, ctx), ctx))
  const files = []
  for (const file of plan.files) {
    const was = await ctx.host.files.snapshot(file.path)
    if (was?.hash !== file.was.hash)
      throw new ToolError('STALE_FILE', `${file.path} is no longer what it was when the rename was worked out.`, {
        path: file.path
      })
    files.push({ ...file, was: was! })
  }
  return { ...plan, files }
}

/** A single file may be changed in an editor's unsaved buffer; several are changed atomically, which is possible only on disk. */
async function perform(plan: RenamePlan, { host: { files } }: Context) {
  const steps = renameSteps(plan)
  const [step] = steps
  const inEditor = steps.length === 1 && step?.do === 'write' && step.was?.unsaved
  if (inEditor) await files.replace(step.path, step.was!, step.content, step.lines)
  else await files.runTransaction(steps)
}

function incompleteNote(answered: Respondent | undefined) {
  const known = answered && incompleteReason(answered)
  return known === undefined ? undefined : `${known}: it may find only part of what is to be renamed.`
}
