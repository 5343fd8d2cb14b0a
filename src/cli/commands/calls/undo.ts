import type { Client, UndoQuery, UndoShown } from '../../../client/client.ts'
import type { Context } from '../../context.ts'
import { CliError, EXIT, usage } from '../../exit.ts'
import type { Verb } from '../../run.ts'
import { exitOf, reasonOf } from '../../ui/format.ts'
import { paintDiff, safe, type Terminal } from '../../ui/terminal.ts'

interface Options {
  since?: boolean
  path?: string[]
  show?: boolean
  yes?: boolean
  digest?: string
}

const undo: Verb = (command, context) => {
  command
    .description('Revert the file changes of a call: shows a preview and asks. Later changes are kept.')
    .argument('<id>', 'tool_call_id')
    .option('--since', 'also revert all later calls of its session')
    .option('--path <path...>', 'only these files and folders')
    .option('--show', 'only show the preview')
    .option('--yes', 'do not ask')
    .option('--digest <digest>', 'only if this is still the digest of the preview; does not ask')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate undo tc_01J…\n  toolgate undo tc_01J… --show\n  toolgate undo tc_01J… --since --yes'
    )
    .action(async (id: string, options: Options) => {
      if (!options.show && !context.mayAsk && !options.yes && options.digest === undefined)
        throw usage(
          'Cannot prompt: standard input is not a terminal.',
          'Use --digest with the digest of the preview, --yes, or --show.'
        )
      const client = await context.connect()
      const query: UndoQuery = {
        ...(options.since && { scope: 'since' }),
        ...(options.path && { paths: options.path })
      }
      const shown = await client.showUndo(id, { ...query, signal: context.signal })
      if (options.show) return tellShown(context, shown)
      await undoOne(context, client, { id, query, shown, options })
    })
}
export default undo

function tellShown(context: Context, shown: UndoShown) {
  const { terminal } = context
  if (!shown.available && shown.files.some(({ conflicts }) => conflicts)) context.exitCode = EXIT.conflict
  if (terminal.json) terminal.outJson(shown)
  else terminal.out(shownText(terminal, shown))
}

interface Asked {
  id: string
  query: UndoQuery
  shown: UndoShown
  options: Options
}

async function undoOne(context: Context, client: Client, { id, query, shown, options }: Asked) {
  const { terminal, signal } = context
  if (!terminal.json) terminal.say(shownText(terminal, shown))
  if (shown.files.every(({ action }) => action === 'nothing'))
    return terminal.json ? terminal.outJson(shown) : undefined
  if (!shown.available)
    throw new CliError(`Cannot undo ${id}: ${shown.reason}`, { exit: EXIT.conflict, code: 'UNDO_CONFLICT' })
  if (!options.yes && options.digest === undefined && !/^y(es)?$/i.test(await context.ask('Undo? [y/N] ')))
    return terminal.say('Nothing was changed.')
  const digest = options.digest ?? shown.digest
  const ended = await client.undo(id, { ...query, ...(digest !== undefined && { digest }), confirm: true, signal })
  context.exitCode = exitOf(ended)
  if (terminal.json) return terminal.outJson(ended)
  if (ended.status === 'success') return terminal.out(safe(ended.result.content))
  if (ended.status === 'awaiting_approval')
    return terminal.say(`Waiting for approval: toolgate approve ${ended.tool_call_id}`)
  terminal.fail(`toolgate: undo ${ended.status}: ${safe(reasonOf(ended))}`)
}

/** By path what would happen, with the conflicts and the diff. */
function shownText(terminal: Terminal, { files, reason }: UndoShown): string {
  const lines = files.flatMap(({ action, path, from, note, conflicts = [] }) => [
    `  ${action.padEnd(9)} ${safe(from === undefined ? path : `${from} → ${path}`)}${note ? `  (${safe(note)})` : ''}`,
    ...conflicts.flatMap(({ message, now, before }) => [
      terminal.paint('yellow', `            ${safe(message)}`),
      ...quoted('now', now),
      ...quoted('before', before)
    ])
  ])
  const diffs = files.flatMap(({ diff }) => (diff === undefined ? [] : [paintDiff(terminal, diff.trimEnd())]))
  return [...lines, ...(diffs.length > 0 ? ['', ...diffs] : []), ...(reason ? ['', safe(reason)] : [])].join('\n')
}

const quoted = (name: string, text: string | undefined) =>
  text === undefined
    ? []
    : text.split('\n').map((line, i) => `            ${(i === 0 ? name : '').padEnd(6)} | ${safe(line)}`)
