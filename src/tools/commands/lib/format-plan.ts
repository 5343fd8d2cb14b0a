// Formats files without side effects: each formatter gets a text on standard input, so that it writes nothing itself.
import { relative } from 'node:path/posix'
import { ToolError } from '../../../errors.ts'
import type { FileSnapshot } from '../../../host/files/file-snapshot.ts'
import type { IsolationLevel } from '../../../protocol/isolation-levels.ts'
import { type Diff, unifiedDiff } from '../../../text/diff/unified-diff.ts'
import { decodeEditable, encode } from '../../../text/encoding.ts'
import { hiddenAsciiReason } from '../../../text/hidden-ascii.ts'
import type { LookupContext, ReadContext } from '../../../tool/contexts.ts'
import { FORMATTERS, type Formatter, type FormatterName } from './formatters.ts'
import {
  findInstalledProgram,
  findProjectProgram,
  folderAndAncestors,
  hasFile,
  inFolder,
  readProjectFile
} from './project-files.ts'

const FILE_TIMEOUT_MS = 20_000
const MAX_CONCURRENT = 4
const DIFF_TIMEOUT_MS = 5_000

interface FormatInput {
  paths: readonly string[]
  formatter?: FormatterName
}

/** Invocation of the formatter for one file. */
interface FormatterInvocation {
  formatter: FormatterName
  argv: readonly string[]
  cwd: string
}

export type FormattedFile =
  | { outcome: 'changed'; given: string; formatter: FormatterName; was: FileSnapshot; bytes: Buffer; diff: Diff }
  | { outcome: 'unchanged'; given: string }
  | { outcome: 'failed'; given: string; message: string }

export interface FormatPlan {
  files: FormattedFile[]
  /** Isolation level of the formatters; undefined if none ran. */
  isolation: IsolationLevel | undefined
}

/** Strict if available: then a formatter has no effect but its output. */
export const formatterIsolation = async ({ host }: LookupContext): Promise<'read-only' | undefined> =>
  (await host.processes.hasLevel('read-only')) ? 'read-only' : undefined

/** Formats copies of all files; errors are reported per file, and the others proceed. */
export async function planFormat({ paths, formatter }: FormatInput, ctx: ReadContext): Promise<FormatPlan> {
  const level = await formatterIsolation(ctx)
  const given = [...new Set(paths)]
  const files: FormattedFile[] = []
  let isolation: IsolationLevel | undefined
  const one = async (path: string): Promise<FormattedFile> => {
    try {
      const made = await formatFile(path, { formatter, level }, ctx)
      isolation = made.isolation
      return made.file
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof ToolError)) throw error
      return { outcome: 'failed', given: path, message: error.message }
    }
  }
  for (let at = 0; at < given.length; at += MAX_CONCURRENT)
    files.push(...(await Promise.all(given.slice(at, at + MAX_CONCURRENT).map(one))))
  return { files, isolation }
}

/**
 * Selects an available formatter: one configured in the nearest project files, else one installed in the project, else the
 * language's default.
 */
export async function selectFormatter(
  path: string,
  requested: FormatterName | undefined,
  ctx: ReadContext
): Promise<FormatterInvocation> {
  const [, folder = '.'] = folderAndAncestors(path)
  const fitting = (Object.keys(FORMATTERS) as FormatterName[]).filter(
    name => requested === name || FORMATTERS[name].files.test(path)
  )
  const names = requested ? [requested] : fitting
  const named = new Map<FormatterName, string | undefined>()
  for (const name of names) named.set(name, await findConfiguredFolder(FORMATTERS[name], folder, ctx))
  const installed = new Set(names.filter(name => findProjectProgram(ctx, folder, FORMATTERS[name].own) !== undefined))
  const others = names.filter(name => named.get(name) === undefined)
  const ordered = [
    ...names.filter(name => named.get(name) !== undefined),
    ...others.filter(name => installed.has(name)),
    ...others.filter(name => !installed.has(name) && (requested || (FORMATTERS[name] as Formatter).usual))
  ]
  for (const name of ordered) {
    const known: Formatter = FORMATTERS[name]
    const cwd = named.get(name) ?? folder
    const program = findInstalledProgram(ctx, cwd, known)
    if (program === undefined) continue
    const file = relative(cwd, path)
    return { formatter: name, cwd, argv: [program, ...known.buildArgs(file.startsWith('-') ? `./${file}` : file)] }
  }
  throw new ToolError('EXECUTION_ERROR', missingFormatterMessage(ordered))
}

function missingFormatterMessage([first, second, ...more]: readonly FormatterName[]) {
  if (first === undefined) return 'No formatter of the project is known for this file.'
  if (second === undefined) return `${first} is not installed.`
  return more.length === 0
    ? `Neither ${first} nor ${second} is installed.`
    : `None of ${[first, second, ...more].join(', ')} is installed.`
}

async function findConfiguredFolder(
  { marks, section }: Formatter,
  folder: string,
  ctx: ReadContext
): Promise<string | undefined> {
  for (const each of folderAndAncestors(folder)) {
    if (marks.some(mark => hasFile(ctx, each, mark))) return each
    if (section?.holds.test((await readProjectFile(ctx, inFolder(each, section.file))) ?? '')) return each
  }
  return undefined
}

async function formatFile(
  given: string,
  { formatter: requested, level }: { formatter: FormatterName | undefined; level: 'read-only' | undefined },
  ctx: ReadContext
): Promise<{ file: FormattedFile; isolation: IsolationLevel }> {
  const { host, signal } = ctx
  if (host.files.peek(given).kind === 'directory')
    throw new ToolError('NOT_A_FILE', `${given} is a folder. Give the paths of the files in the folder.`, {
      path: given
    })
  const was = await host.files.snapshot(given)
  if (!was) throw new ToolError('FILE_NOT_FOUND', 'The file does not exist.', { path: given })
  const text = was.bytes && decodeEditable(was.bytes)
  if (!text) throw new ToolError('BINARY_FILE', `${given} is not a text file, or is too large.`, { path: given })
  if (!text.exact || !text.text.isWellFormed())
    throw new ToolError('BINARY_FILE', `${given} has bytes that are not valid ${text.encoding}.`, { path: given })
  const { formatter, argv, cwd } = await selectFormatter(was.path, requested, ctx)
  const made = await host.processes.filter({
    argv,
    cwd,
    stdin: text.text,
    level,
    env: { NO_COLOR: '1' },
    timeout_ms: FILE_TIMEOUT_MS
  })
  const { isolation } = made
  if (made.exit_code !== 0)
    return { file: { outcome: 'failed', given, message: describeFailure(formatter, made) }, isolation }
  if (made.text === undefined || (made.text.trim() === '' && text.text.trim() !== ''))
    return { file: { outcome: 'failed', given, message: `${formatter} did not return text.` }, isolation }
  const bytes = encode(made.text, text.encoding)
  if (!bytes)
    return {
      file: { outcome: 'failed', given, message: `The encoding ${text.encoding} cannot represent the formatted text.` },
      isolation
    }
  if (bytes.equals(was.bytes!)) return { file: { outcome: 'unchanged', given }, isolation }
  const strictReason = hiddenAsciiReason(text, { text: made.text, encoding: text.encoding })
  if (strictReason !== undefined) return { file: { outcome: 'failed', given, message: strictReason }, isolation }
  const input = { path: was.path, before: text.text, after: made.text }
  const diff = await host.compute
    .run('diff', input, { signal, deadlineMs: DIFF_TIMEOUT_MS })
    .catch(() => unifiedDiff(was.path, undefined, made.text))
  return { file: { outcome: 'changed', given, formatter, was, bytes, diff }, isolation }
}

const MAX_MESSAGE = 2_000

function describeFailure(
  formatter: FormatterName,
  { stderr, exit_code }: { stderr: string; exit_code: number | null }
) {
  const ending = exit_code === null ? 'was killed' : `ended with exit code ${exit_code}`
  const words = stderr.trim().slice(0, MAX_MESSAGE).toWellFormed()
  return words === '' ? `${formatter} ${ending}.` : `${formatter} ${ending}: ${words}`
}
