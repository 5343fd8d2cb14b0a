import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { hashBytes } from '../../host/files/content-source.ts'
import { DIFF_TRUNCATED, truncatedDiffNotes } from '../../protocol/truncated-diff.ts'
import { limitOutputDiffs } from '../../text/diff/output-diff.ts'
import { escapeLine } from '../../text/escape-invisible.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import { truncateText } from '../../text/truncate-text.ts'
import type { ReadContext, RunContext } from '../../tool/contexts.ts'
import type { PathUse } from '../../tool/request.ts'
import { defineTool } from '../../tool/tool.ts'
import { IsolationOutput } from './lib/command-line.ts'
import {
  type FormatPlan,
  type FormattedFile,
  formatterIsolation,
  planFormat,
  selectFormatter
} from './lib/format-plan.ts'
import { FORMATTERS, type FormatterName } from './lib/formatters.ts'

const NAMES = Object.keys(FORMATTERS) as FormatterName[]

const Input = Type.Object(
  {
    paths: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 200,
      description: 'Files to format, relative to the workspace.'
    }),
    formatter: Type.Optional(Type.Enum(NAMES, { description: 'Formatter. Default: detected from project files.' })),
    check: Type.Optional(Type.Boolean({ description: 'Report the changes without writing them.' }))
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const ChangedFileOutput = Type.Object({
  path: Type.String({ description: 'File path, with links resolved.' }),
  formatter: Type.Enum(NAMES, { description: 'Formatter that was used.' }),
  diff: Type.String({ description: 'Changes as a unified diff.' }),
  diff_truncated: DIFF_TRUNCATED,
  added: Type.Integer({ description: 'Number of added lines.' }),
  removed: Type.Integer({ description: 'Number of removed lines.' })
})

const Output = Type.Object({
  changed: Type.Array(ChangedFileOutput, {
    description: 'Changed files; if `check` is true, files that would change.'
  }),
  unchanged: Type.Array(Type.String(), { description: 'Files that were already formatted.' }),
  failed: Type.Array(
    Type.Object({
      path: Type.String({ description: 'File path.' }),
      message: Type.String({ description: 'Reason why the file could not be formatted.' })
    }),
    { description: 'Files that could not be formatted and are unchanged.' }
  ),
  check: Type.Boolean({ description: 'True if the changes were only reported, not written.' }),
  isolation: Type.Optional(IsolationOutput)
})

export default defineTool({
  name: 'format_code',
  category: 'commands',
  description: "Formats files with the project's formatter and returns the diffs.",
  input: Input,
  output: Output,
  timeout_ms: 60_000,
  effect: 'depends',
  traits: { plansFromFiles: true },
  request: async (input, ctx) => ({
    effect: input.check ? ((await formatterIsolation(ctx)) ? 'read' : 'execute') : 'write',
    paths: pathUses(input)
  }),
  async plan(input, ctx, { paths: uses = [] }) {
    assertPresent(input, ctx)
    const isolation = await formatterIsolation(ctx)
    if (!isolation && !(await runsFormatter(input, ctx))) return { state: undefined, effect: 'read' }
    const title = `Format ${input.paths.length === 1 ? input.paths[0] : `${input.paths.length} files`}`
    if (!isolation || !uses.every(use => ctx.canReveal(use)))
      return {
        state: undefined,
        ...(!isolation && { reasons: { ask: UNSANDBOXED_REASON } }),
        preview: async () => ({
          title,
          text: await describeCommands(input, ctx),
          notes: [isolation ? WITHHELD_NOTE : UNSANDBOXED_REASON]
        })
      }
    const state = await planFormat(input, ctx)
    const failed = state.files.flatMap(file => (file.outcome === 'failed' ? [`${file.given}: ${file.message}`] : []))
    const changed = state.files.filter(file => file.outcome === 'changed')
    return {
      state,
      ...(changed.length === 0 && { effect: 'read' }),
      binds: changed.map(({ given, bytes }) => [given, hashBytes(bytes)]),
      preview: () => ({
        title,
        diff: changed.map(({ diff }) => diff.diff).join(''),
        ...(failed.length > 0 && { notes: failed })
      })
    }
  },
  async run(input, ctx, planned: FormatPlan | undefined) {
    const { check = false } = input
    const { files, isolation } = planned ?? (await planFormat(input, ctx))
    const output: Static<typeof Output> = {
      changed: [],
      unchanged: [],
      failed: [],
      check,
      ...(isolation && { isolation })
    }
    for (const file of files) {
      if (file.outcome === 'unchanged') output.unchanged.push(file.given)
      else if (file.outcome === 'failed') output.failed.push({ path: file.given, message: file.message })
      else await writeFormatted(file, output, ctx)
    }
    return { ...output, changed: limitOutputDiffs(output.changed) }
  },
  present({ changed, unchanged, failed, check }) {
    const words = check ? 'would change' : 'changed'
    const counts = `${changed.length} ${words}, ${unchanged.length} unchanged, ${failed.length} failed`
    return {
      title: `Format: ${counts}`,
      content: truncateText(
        [
          counts,
          ...failed.map(({ path, message }) => `[${path}: ${message}]`),
          changed.map(({ diff }) => diff).join(''),
          ...truncatedDiffNotes(changed)
        ]
          .filter(text => text !== '')
          .join('\n')
      ),
      metadata: { changed: changed.length, unchanged: unchanged.length, failed: failed.length }
    }
  }
})

const UNSANDBOXED_REASON = 'The formatter runs without a sandbox, with all rights of the user.'
const WITHHELD_NOTE =
  'Reading one of the files requires approval: the changes of this file are shown in the result, after approval.'

function pathUses({ paths, check }: Input): PathUse[] {
  return paths.flatMap((path): PathUse[] => [
    { path, access: 'read' },
    ...(check ? [] : [{ path, access: 'write' as const }])
  ])
}

function assertPresent({ paths }: Input, { host }: ReadContext) {
  const [path, ...others] = paths
  if (path !== undefined && others.length === 0 && host.files.peek(path).kind === 'missing')
    throw new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path })
}

/** Checks if a formatter is installed for any of the files: without one, nothing is started. */
async function runsFormatter({ paths, formatter }: Input, ctx: ReadContext): Promise<boolean> {
  for (const given of paths) {
    try {
      await selectFormatter(ctx.host.files.peek(given).path, formatter, ctx)
      return true
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
    }
  }
  return false
}

/** Describes the commands, file by file. */
async function describeCommands({ paths, formatter }: Input, ctx: ReadContext): Promise<string> {
  const lines: string[] = []
  for (const given of paths) {
    try {
      const { argv, cwd } = await selectFormatter(ctx.host.files.peek(given).path, formatter, ctx)
      lines.push(`${quoteArgv(argv)}  (in ${escapeLine(cwd)}, for ${escapeLine(given)})`)
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      lines.push(escapeLine(`${given}: ${error.message}`))
    }
  }
  return lines.join('\n')
}

async function writeFormatted(
  { given, was, bytes, formatter, diff }: Extract<FormattedFile, { outcome: 'changed' }>,
  output: Static<typeof Output>,
  { host, signal }: RunContext
) {
  const { added, removed } = diff
  const change = { path: was.path, formatter, diff: diff.diff, added, removed }
  if (output.check) {
    output.changed.push(change)
    return
  }
  try {
    const now = await host.files.snapshot(given)
    if (now?.hash !== was.hash)
      throw new ToolError('STALE_FILE', `${given} was changed while it was formatted. Try again.`)
    await host.files.replace(given, now!, bytes, () => ({ added, removed }))
    output.changed.push(change)
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error
    output.failed.push({ path: given, message: error.message })
  }
}
