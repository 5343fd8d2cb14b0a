// The journal command: checks and repairs the journal of a project.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { ConfigError, loadConfig } from '../../../config/load.ts'
import type { Settings } from '../../../config/settings.ts'
import { findCorruption, findLoss } from '../../../store/journal-check.ts'
import { type RepairReport, repairJournal } from '../../../store/journal-repair.ts'
import { acquireStateLock } from '../../../store/state-lock.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT, usageError } from '../../exit.ts'
import { damagedJournalError } from '../../journal-damage.ts'
import { explainStartFailure } from '../../start-failure.ts'

interface JournalOptions {
  root?: string[]
}

const journal: CommandSetup = (command, context) => {
  command.description('Check or repair the journal: the calls, events and rules of a project.').addHelpText(
    'after',
    `
Examples:
  toolgate journal check
  toolgate journal repair --root ~/app`
  )

  command
    .command('check')
    .description('Check that the journal is not damaged, and that nothing is missing. Changes nothing.')
    .option('--root <folder>', 'folder, as given to serve; repeatable (default: the current folder)', collect)
    .addHelpText(
      'after',
      `
Reads the whole journal. A server may run meanwhile. Exit code 1 if it is damaged, or if its newest events
are not those that were acknowledged.

Examples:
  toolgate journal check
  toolgate journal check --root app=./app --root lib=./lib`
    )
    .action(async (options: JournalOptions) => {
      const settings = await loadSettings(context, options)
      const file = journalFile(settings)
      const damage = explained(() => findLoss(file) ?? findCorruption(file, 'integrity_check'))
      if (damage !== undefined) throw damagedJournalError(file, damage, settings)
      if (context.terminal.json) context.terminal.printJson({ file, state: 'ok' })
      else context.terminal.print(`The journal ${file} is not damaged, and nothing is missing.`)
    })

  command
    .command('repair')
    .description('Save what can be read of a damaged journal, and start a new one with it. The server must be stopped.')
    .option('--root <folder>', 'folder, as given to serve; repeatable (default: the current folder)', collect)
    .addHelpText(
      'after',
      `
Copies the files of the journal into a new folder beside it, saves all rows that can be read in a new journal, and prints how many
were saved and lost. Numbers of lost events are not used again. A journal that was restored from an older copy, or that is missing,
is accepted as it is from then on. Nothing is done if nothing is damaged.

Example:
  toolgate journal repair`
    )
    .action(async (options: JournalOptions) => {
      const settings = await loadSettings(context, options)
      const report = explained(() => repair(settings))
      if (context.terminal.json)
        context.terminal.printJson({ file: journalFile(settings), ...(report ?? { state: 'ok' }) })
      else await printReport(context, journalFile(settings), report)
    })
}
export default journal

const collect = (value: string, before: string[] = []) => [...before, value]

const journalFile = ({ state_dir }: Settings) => path.join(state_dir, 'journal.db')

async function loadSettings({ runtime, version }: CliContext, { root }: JournalOptions): Promise<Settings> {
  try {
    const { settings } = await loadConfig({ flags: { root }, env: runtime.env, cwd: runtime.cwd, version })
    if (existsSync(settings.state_dir)) return settings
    throw new CliError(`No server has run for ${settings.roots.map(({ path: each }) => each).join(', ')}.`, {
      exit: EXIT.failed,
      code: 'NOT_FOUND',
      hint: 'Name the same folders as for serve, with --root.'
    })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw usageError(`${error.message.replaceAll('\n', '; ')}.`, 'See: toolgate config check')
  }
}

function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explainStartFailure(error)
  }
}

/** Returns undefined if nothing is damaged. */
function repair(settings: Settings): RepairReport | undefined {
  const file = journalFile(settings)
  const lock = acquireStateLock(settings.state_dir)
  if (!lock)
    throw new CliError(`A server is using the journal ${file}.`, {
      exit: EXIT.conflict,
      code: 'CONFLICT',
      hint: 'Stop it first: toolgate stop'
    })
  try {
    const damage = findLoss(file) ?? findCorruption(file, 'integrity_check')
    return damage === undefined ? undefined : repairJournal(file)
  } finally {
    lock.release()
  }
}

async function printReport({ terminal }: CliContext, file: string, report: RepairReport | undefined) {
  if (report === undefined) return terminal.print(`The journal ${file} is not damaged, so nothing was changed.`)
  const { tables, newest_event, acknowledged = 0, damaged_log_pages, copies } = report
  await terminal.table(
    ['TABLE', 'SAVED', 'LOST'],
    tables
      .filter(({ saved, damaged, is_complete }) => saved + damaged > 0 || !is_complete)
      .map(({ table, saved, damaged, unreadable, is_complete }) => [
        table,
        String(saved),
        is_complete ? String(damaged) : unreadable === undefined ? 'some' : `up to ${damaged + unreadable}`
      ])
  )
  if (acknowledged > newest_event)
    terminal.info(`Lost: events ${newest_event + 1} to ${acknowledged}, and what came with them.`)
  if (damaged_log_pages > 0) terminal.info(`Pages of the write-ahead log that were damaged: ${damaged_log_pages}.`)
  terminal.info(
    `Repaired ${file}. Its files as they were are in ${copies}: remove that folder when you do not need it.`
  )
}
