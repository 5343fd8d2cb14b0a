import type { Client, UndoPreview, UndoQuery } from '../../../client/client.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT, usageError } from '../../exit.ts'
import { exitCodeFor, formatReason } from '../../ui/format.ts'
import { colorizeDiff, type Terminal } from '../../ui/terminal.ts'

interface Options {
  since?: boolean
  path?: string[]
  show?: boolean
  yes?: boolean
  digest?: string
}

const undo: CommandSetup = (command, context) => {
  command
    .description(
      'Revert the file changes of a call. Shows a preview and asks for confirmation. Later changes are kept.'
    )
    .argument('<id>', 'tool_call_id')
    .option('--since', 'also revert all later calls of the same session')
    .option('--path <path...>', 'revert only changes to these files and folders')
    .option('--show', 'only show the preview, and revert nothing')
    .option('--yes', 'revert without asking')
    .option('--digest <digest>', 'revert without asking, only if the preview still has this digest')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate undo tc_01J…\n  toolgate undo tc_01J… --show\n  toolgate undo tc_01J… --since --yes'
    )
    .action(async (id: string, options: Options) => {
      if (!options.show && !context.canPrompt && !options.yes && options.digest === undefined)
        throw usageError(
          'Cannot prompt: standard input is not a terminal.',
          'Use --digest with the digest of the preview, --yes, or --show.'
        )
      const client = await context.connect()
      const query: UndoQuery = {
        ...(options.since && { scope: 'since' }),
        ...(options.path && { paths: options.path })
      }
      const shown = await client.previewUndo(id, { ...query, signal: context.signal })
      if (options.show) return printUndoPreview(context, shown)
      await undoCall(context, client, { id, query, shown, options })
    })
}
export default undo

function printUndoPreview(context: CliContext, shown: UndoPreview) {
  const { terminal } = context
  if (!shown.available && shown.files.some(({ conflicts }) => conflicts)) context.exitCode = EXIT.conflict
  if (terminal.json) terminal.printJson(shown)
  else terminal.print(formatUndoPreview(terminal, shown))
}

interface UndoArguments {
  id: string
  query: UndoQuery
  shown: UndoPreview
  options: Options
}

async function undoCall(context: CliContext, client: Client, { id, query, shown, options }: UndoArguments) {
  const { terminal, signal } = context
  if (!terminal.json) terminal.info(formatUndoPreview(terminal, shown))
  if (shown.files.every(({ action }) => action === 'nothing'))
    return terminal.json ? terminal.printJson(shown) : undefined
  if (!shown.available)
    throw new CliError(`Cannot undo ${id}: ${shown.reason}`, { exit: EXIT.conflict, code: 'UNDO_CONFLICT' })
  if (!options.yes && options.digest === undefined && !/^y(es)?$/i.test(await context.prompt('Undo? [y/N] ')))
    return terminal.info('Nothing was changed.')
  const digest = options.digest ?? shown.digest
  const ended = await client.undo(id, { ...query, ...(digest !== undefined && { digest }), confirm: true, signal })
  context.exitCode = exitCodeFor(ended)
  if (terminal.json) return terminal.printJson(ended)
  if (ended.status === 'success') return terminal.print(escapeInvisible(ended.result.content))
  if (ended.status === 'awaiting_approval')
    return terminal.info(`The undo waits for approval. To decide: toolgate approve ${ended.tool_call_id}`)
  terminal.error(`toolgate: undo ${ended.status}: ${escapeInvisible(formatReason(ended))}`)
}

/** Formats the effect per path, with the conflicts and the diff. */
function formatUndoPreview(terminal: Terminal, { files, reason }: UndoPreview): string {
  const lines = files.flatMap(({ action, path, from, note, conflicts = [] }) => [
    `  ${action.padEnd(9)} ${escapeInvisible(from === undefined ? path : `${from} → ${path}`)}${note ? `  (${escapeInvisible(note)})` : ''}`,
    ...conflicts.flatMap(({ message, now, before }) => [
      terminal.paint('yellow', `            ${escapeInvisible(message)}`),
      ...formatQuoted('now', now),
      ...formatQuoted('before', before)
    ])
  ])
  const diffs = files.flatMap(({ diff }) => (diff === undefined ? [] : [colorizeDiff(terminal, diff.trimEnd())]))
  return [...lines, ...(diffs.length > 0 ? ['', ...diffs] : []), ...(reason ? ['', escapeInvisible(reason)] : [])].join(
    '\n'
  )
}

const formatQuoted = (name: string, text: string | undefined) =>
  text === undefined
    ? []
    : text.split('\n').map((line, i) => `            ${(i === 0 ? name : '').padEnd(6)} | ${escapeInvisible(line)}`)
