// Reports a damaged journal, with the command that repairs it.
import type { Settings } from '../config/settings.ts'
import { quoteArgv } from '../text/shell-quote.ts'
import { CliError, EXIT } from './exit.ts'

/** `damage` is a sentence about the file, without its subject. */
export const damagedJournalError = (file: string, damage: string, settings: Settings) =>
  new CliError(`The journal ${file} ${damage}.`, {
    exit: EXIT.failed,
    code: 'JOURNAL_DAMAGED',
    hint: hintForDamage(settings)
  })

export const hintForDamage = ({ roots }: Settings) =>
  `Run: ${quoteArgv(['toolgate', 'journal', 'repair', ...roots.flatMap(({ path: root }) => ['--root', root])])}. ` +
  'It saves what can be read, says what is lost, and keeps a copy of the files.'
