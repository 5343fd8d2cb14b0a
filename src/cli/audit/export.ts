// Sets up `toolgate audit export`: a signed copy of the journal that is verified without it.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { writeExport } from '../../store/audit-export.ts'
import { AuditKey } from '../../store/audit-key.ts'
import { hasChain, readJournalSnapshot } from '../../store/journal-verification.ts'
import type { CliContext } from '../context.ts'
import { CliError, EXIT } from '../exit.ts'
import { addRootOption, explained, type JournalOptions, journalFile, loadJournalSettings } from '../journal-file.ts'
import { noChainError } from './verify.ts'

export function setUpAuditExport(command: Command, context: CliContext): void {
  addRootOption(
    command
      .description(
        'Write the events, calls and their chain to a signed file, which can be verified without the journal.'
      )
      .argument('<file>', 'file to write; the file must not exist yet')
  )
    .addHelpText(
      'after',
      `
JSON Lines: a header, the records of the chain, the events, the calls, and a signature of all lines before it. Content is
stored as in the journal; the file is readable only by you. A server may be running.

Examples:
  toolgate audit export audit-2026-01.jsonl
  toolgate audit verify audit-2026-01.jsonl`
    )
    .action(async (given: string, _: JournalOptions, action: Command) => {
      const { root } = action.optsWithGlobals<JournalOptions>()
      const settings = await loadJournalSettings(context, { root: [root ?? []].flat() })
      const source = journalFile(settings)
      const file = path.resolve(context.runtime.cwd, given)
      if (existsSync(file))
        throw new CliError(`The file ${file} already exists.`, {
          exit: EXIT.conflict,
          code: 'CONFLICT',
          hint: 'Choose another file name.'
        })
      if (!existsSync(source)) throw noChainError(source)
      const key = explained(() => AuditKey.open(settings.state_dir))
      const header = explained(() =>
        readJournalSnapshot(source, db => (hasChain(db) ? writeExport(db, key, file) : undefined))
      )
      if (!header) throw noChainError(source)
      const { terminal } = context
      if (terminal.json) terminal.printJson({ file, ...header })
      else terminal.print(`${file}: record ${header.last.n}, ${header.last.hash}, signed by ${header.key}`)
    })
}
