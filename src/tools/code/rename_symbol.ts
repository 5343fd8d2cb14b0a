import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import type { RenameResult, Respondent } from '../../host/lsp/language-service.ts'
import { DIFF_TRUNCATED, truncatedDiffNotes } from '../../protocol/truncated-diff.ts'
import { limitOutputDiffs } from '../../text/diff/output-diff.ts'
import { escapeInvisible, escapeLine } from '../../text/escape-invisible.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { ReadContext, RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
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
      description: 'New name of the symbol.'
    })
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

export default defineTool({
  ...LSP_TOOL,
  name: 'rename_symbol',
  description: 'Renames a symbol in all files where a language server finds it, or in none.',
  input: Input,
  output: Type.Object({
    files: Type.Array(
      Type.Object({
        path: Type.String({ description: 'File path, with links resolved.' }),
        from: Type.Optional(Type.String({ description: 'Old path of a moved file.' })),
        edits: Type.Integer({ description: 'Number of replacements in the file.' }),
        diff: Type.String({ description: 'Changes as a unified diff.' }),
        diff_truncated: DIFF_TRUNCATED,
        hash: Type.String({ description: 'sha256 of the new content.' })
      }),
      { description: 'Changed files.' }
    ),
    answered: Responder
  }),
  effect: 'write',
  request: ({ path }) => ({
    paths: [
      { path, access: 'read' },
      { path, access: 'write' }
    ]
  }),
  traits: { plansFromFiles: true },
  async plan(input, ctx) {
    const { path } = input
    // Without read permission nothing is shown, including the reason of a failure.
    if (!ctx.canReveal({ path })) throw unreadableError(path)
    const renaming = await requestRename(input, ctx)
    const paths = renamePathUses(renaming)
    const incomplete = incompleteNote(renaming.answered)
    const title = escapeInvisible(`Rename ${input.symbol ?? `${path}:${input.line}:${input.col}`} to ${input.new_name}`)
    if (!paths.every(use => ctx.canReveal(use)))
      return {
        state: { renaming },
        paths,
        binds: renaming.files,
        ...(incomplete !== undefined && { reasons: { ask: incomplete } }),
        preview: () => ({
          title,
          text: renaming.files.map(({ path }) => escapeLine(path)).join('\n'),
          notes: [WITHHELD_NOTE]
        })
      }
    const plan = await planRename(renaming, ctx)
    const strictReasons = plan.files.flatMap(({ strictReason }) => strictReason ?? [])
    const notes = [...(incomplete === undefined ? [] : [incomplete]), ...strictReasons]
    return {
      state: { renaming, plan },
      paths,
      binds: plan.files.map(file => [file.path, file.movedTo ?? null, hashAfter(file)]),
      reasons: {
        ...(incomplete !== undefined && { ask: incomplete }),
        ...(strictReasons[0] !== undefined && { strict: strictReasons[0] })
      },
      preview: () => ({
        title,
        diff: plan.files.map(({ diff }) => diff.diff).join(''),
        ...(notes.length > 0 && { notes })
      })
    }
  },
  async run(_input, ctx, state: RenameState) {
    const plan = state.plan ?? (await planRename(state.renaming, ctx))
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

const WITHHELD_NOTE =
  'Reading one of the files requires approval: the changes of this file are shown in the result, after approval.'
const SERVER_NOT_STARTED = `${UNSANDBOXED_SERVER_REASON} A preview of the rename would start the language server without approval: request the diagnostics of the file first.`

/** The answer of the server, and the planned changes; without these, the files may not be read before the approval. */
interface RenameState {
  renaming: RenameResult
  plan?: RenamePlan
}

async function requestRename(input: Input, ctx: ReadContext): Promise<RenameResult> {
  const { languages } = ctx.host
  await checkServerInstalled(input, ctx)
  const at = await resolvePosition(input, ctx)
  if ((await languages.isolationLevel()) !== 'read-only' && !languages.isRunning(at.path))
    throw new ToolError('LSP_UNAVAILABLE', SERVER_NOT_STARTED)
  return assertPlausible(await languages.rename(at, input.new_name))
}

const unreadableError = (path: string) =>
  new ToolError('PERMISSION_DENIED', `Reading ${path} requires approval, so the symbol was not renamed in any file.`, {
    path
  })

/** A single file may be changed in an editor's unsaved buffer; several are changed atomically, which is possible only on disk. */
async function perform(plan: RenamePlan, { host: { files } }: RunContext) {
  const steps = renameSteps(plan)
  const [step] = steps
  const inEditor = steps.length === 1 && step?.do === 'write' && step.was?.unsaved
  if (inEditor) await files.replace(step.path, step.was!, step.content, step.lines)
  else await files.runTransaction(steps)
}

function incompleteNote(answered: Respondent | undefined) {
  const known = answered && incompleteReason(answered)
  return known === undefined ? undefined : `${known}: the rename may be incomplete.`
}
