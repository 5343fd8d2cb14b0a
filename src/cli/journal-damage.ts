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

/** Formats a command for a project that is named by its folders. */
export const formatRootCommand = (words: readonly string[], { roots }: Settings) =>
  quoteArgv(['toolgate', ...words, ...roots.flatMap(({ path: root }) => ['--root', root])])

export const hintForDamage = (settings: Settings) =>
  `Run: ${formatRootCommand(['journal', 'repair'], settings)}. This command saves the readable content, reports the lost ` +
  'content, and keeps a copy of the damaged files.'
