// The journal command: checks and repairs the journal of a project.
import { existsSync } from 'node:fs'
import type { Settings } from '../../../config/settings.ts'
import { describeFault } from '../../../store/chain-verification.ts'
import { findCorruption, findLoss } from '../../../store/journal-check.ts'
import { type RepairReport, repairJournal } from '../../../store/journal-repair.ts'
import { verifyJournal } from '../../../store/journal-verification.ts'
import { acquireStateLock } from '../../../store/state-lock.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import { damagedJournalError } from '../../journal-damage.ts'
import { addRootOption, explained, type JournalOptions, journalFile, loadJournalSettings } from '../../journal-file.ts'

const journal: CommandSetup = (command, context) => {
  command
    .description('Check or repair the journal, which contains the calls, events and rules of a project.')
    .addHelpText(
      'after',
      `
Examples:
  toolgate journal check
  toolgate journal repair --root ~/app`
    )

  addRootOption(
    command
      .command('check')
      .description('Check that the journal is not damaged, and that nothing is missing from it. Changes nothing.')
  )
    .addHelpText(
      'after',
      `
Reads the whole journal. A server may be running. Exit code 1 if it is damaged, or if its newest events
are not those that were acknowledged. To find changed events, run: toolgate audit verify

Examples:
  toolgate journal check
  toolgate journal check --root app=./app --root lib=./lib`
    )
    .action(async (options: JournalOptions) => {
      const settings = await loadJournalSettings(context, options)
      const file = journalFile(settings)
      const damage = explained(() => findLoss(file) ?? findCorruption(file, 'integrity_check'))
      if (damage !== undefined) throw damagedJournalError(file, damage, settings)
      if (context.terminal.json) context.terminal.printJson({ file, state: 'ok' })
      else context.terminal.print(`The journal ${file} is not damaged, and nothing is missing from it.`)
    })

  addRootOption(
    command
      .command('repair')
      .description(
        'Save the readable content of a damaged journal, and start a new journal with it. The server must be stopped.'
      )
  )
    .addHelpText(
      'after',
      `
Copies the files of the journal into a new folder beside it, saves all rows that can be read in a new journal, and prints how many
were saved and lost. Numbers of lost events are not used again. A journal that was restored from an older copy, or that is missing,
is accepted from then on, and so is one with rows that do not match its chain. A new epoch begins: the journal gets a new id.
Nothing is done if nothing is damaged.

Example:
  toolgate journal repair`
    )
    .action(async (options: JournalOptions) => {
      const settings = await loadJournalSettings(context, options)
      const report = explained(() => repair(settings))
      if (context.terminal.json)
        context.terminal.printJson({ file: journalFile(settings), ...(report ?? { state: 'ok' }) })
      else await printReport(context, journalFile(settings), report)
    })
}
export default journal

/** Returns undefined if nothing is damaged. */
function repair(settings: Settings): RepairReport | undefined {
  const file = journalFile(settings)
  const lock = acquireStateLock(settings.state_dir)
  if (!lock)
    throw new CliError(`A server is using the journal ${file}.`, {
      exit: EXIT.conflict,
      code: 'CONFLICT',
      hint: 'Stop the server first: toolgate stop'
    })
  try {
    const damage = findLoss(file) ?? findCorruption(file, 'integrity_check') ?? findChainDamage(file)
    return damage === undefined ? undefined : repairJournal(file)
  } finally {
    lock.release()
  }
}

function findChainDamage(file: string): string | undefined {
  const [fault] = (existsSync(file) && verifyJournal(file)?.faults) || []
  return fault && describeFault(fault)
}

async function printReport({ terminal }: CliContext, file: string, report: RepairReport | undefined) {
  if (report === undefined) return terminal.print(`The journal ${file} is not damaged, so nothing was changed.`)
  const { tables, newest_event, acknowledged = 0, damaged_log_pages, copies, journal_id, chain } = report
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
  if (acknowledged > newest_event) terminal.info(`Lost: events ${newest_event + 1} to ${acknowledged}, and their data.`)
  if (damaged_log_pages > 0) terminal.info(`Damaged pages of the write-ahead log: ${damaged_log_pages}.`)
  terminal.info(
    chain.damage === undefined
      ? `The journal has the new id ${journal_id}. Its audit chain continues.`
      : `The journal has the new id ${journal_id}. It has a new audit chain, because the old chain is damaged: ${chain.damage}.`
  )
  terminal.info(
    `Repaired ${file}. Copies of the original files are in ${copies}: remove this folder when you no longer need the copies.`
  )
}
