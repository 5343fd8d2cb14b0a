import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import type { Answerer } from '../../host/lsp/language-service.ts'
import { visible } from '../../text/escape-invisible.ts'
import { fitting } from '../../text/truncate-lines.ts'
import { type Context, defineTool } from '../../tool/tool.ts'
import { QUESTION, UNKEPT } from './lib/lsp-tool.ts'
import { AT, pointed } from './lib/position-param.ts'
import { hashAfter, planRename, plausible, type RenamePlan, stepsOf, usesOf } from './lib/rename-plan.ts'
import { Answered, answererNotes, whatIsRead } from './lib/responder.ts'

const Input = Type.Object(
  {
    ...AT,
    new_name: Type.String({
      minLength: 1,
      maxLength: 1_000,
      // Servers put into the files whatever they are given, lines of code too.
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
      description: 'What it is to be called; on one line, without control characters.'
    })
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

export default defineTool({
  ...QUESTION,
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
        hash: Type.String({ description: 'sha256 of the new content.' })
      }),
      { description: 'Every file that changed.' }
    ),
    answered: Answered
  }),
  effect: 'write',
  subject: ({ path }) => ({
    paths: [
      { path, access: 'read' },
      { path, access: 'write' }
    ]
  }),
  async touches(input, ctx) {
    ASKED.delete(ctx)
    // Nothing is told of what may not be read, not even why it cannot be done.
    if (!ctx.may_show({ path: input.path })) return []
    const renaming = await asked(input, ctx)
    ASKED.set(ctx, renaming)
    return usesOf(renaming)
  },
  check(input, ctx) {
    renamingOf(input, ctx)
  },
  always_ask: (_, ctx) => unread(ASKED.get(ctx)?.answered),
  async preview(input, ctx) {
    SHOWN.delete(ctx)
    const title = visible(`Rename ${input.symbol ?? `${input.path}:${input.line}:${input.col}`} to ${input.new_name}`)
    const renaming = renamingOf(input, ctx)
    if (!usesOf(renaming).every(use => ctx.may_show(use)))
      return { title, text: renaming.files.map(({ path }) => path).join('\n'), notes: [UNSEEN_NOTE] }
    const plan = await planRename(renaming, ctx)
    SHOWN.set(ctx, plan)
    const note = unread(plan.answered)
    return {
      title,
      diff: plan.files.map(({ diff }) => diff.diff).join(''),
      ...(note !== undefined && { notes: [note] })
    }
  },
  async run(input, ctx) {
    const plan = await asShown(input, ctx)
    await perform(plan, ctx)
    return {
      files: plan.files.map(file => ({
        path: file.moved_to ?? file.was.path,
        ...(file.moved_to !== undefined && { from: file.was.path }),
        edits: file.edits,
        diff: file.diff.diff,
        hash: hashAfter(file)
      })),
      answered: plan.answered
    }
  },
  present({ files, answered }, { new_name }) {
    const list = files.map(({ path, from, edits }) => `${from ? `R ${from} → ` : 'M '}${path} (${edits})`)
    const notes = answererNotes([answered])
    return {
      title: `${new_name}: ${files.length === 1 ? files[0]!.path : `${files.length} files`}`,
      content: [...fitting([...list, ...files.flatMap(({ diff }) => diff.trimEnd().split('\n'))]), ...notes].join('\n'),
      metadata: { files: files.length }
    }
  }
})

const UNSEEN_NOTE = 'A file may not be read without asking: what changes in it is told once approved.'
const NOT_STARTED = `${UNKEPT} To look what a rename changes would start it with nobody asked: ask for the diagnostics of the file first.`

type Asked = Awaited<ReturnType<typeof asked>>

/** What the server said last, and what of it was shown to somebody: exactly that is what runs. */
const ASKED = new WeakMap<Context, Asked>()
const SHOWN = new WeakMap<Context, RenamePlan>()

async function asked(input: Input, ctx: Context) {
  const { languages } = ctx.host
  const at = await pointed(input, ctx)
  if ((await languages.kept()) !== 'strict' && !languages.runs(at.path))
    throw new ToolError('LSP_UNAVAILABLE', NOT_STARTED)
  return plausible(await languages.rename(at, input.new_name))
}

function renamingOf({ path }: Input, ctx: Context): Asked {
  const renaming = ASKED.get(ctx)
  if (renaming) return renaming
  throw new ToolError('PERMISSION_DENIED', `${path} may not be read without asking, so nothing in it is renamed.`, {
    path
  })
}

/** With the files as they are now, which must still be what the plan is for. */
async function asShown(input: Input, ctx: Context): Promise<RenamePlan> {
  const plan = SHOWN.get(ctx) ?? (await planRename(renamingOf(input, ctx), ctx))
  const files = []
  for (const file of plan.files) {
    const was = await ctx.host.files.look(file.path)
    if (was?.hash !== file.was.hash)
      throw new ToolError('STALE_FILE', `${file.path} is no longer what it was when the rename was worked out.`, {
        path: file.path
      })
    files.push({ ...file, was: was! })
  }
  return { ...plan, files }
}

/** One file alone may be changed in an editor that holds it unsaved; several are changed together, which only the disk can. */
async function perform(plan: RenamePlan, { host: { files } }: Context) {
  const steps = stepsOf(plan)
  const [step] = steps
  const inEditor = steps.length === 1 && step?.do === 'write' && step.was?.unsaved
  if (inEditor) await files.replace(step.path, step.was!, step.content, step.lines)
  else await files.together(steps)
}

function unread(answered: Answerer | undefined) {
  const known = answered && whatIsRead(answered)
  return known === undefined ? undefined : `${known}: it may find only part of what is to be renamed.`
}
