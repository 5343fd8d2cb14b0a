// Sets up `toolgate audit verify`: whether a journal, or an export, is as it was written.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { ExportError, verifyExport } from '../../store/audit-export.ts'
import type { ChainReport } from '../../store/chain-verification.ts'
import type { KnownRecord } from '../../store/chain-walk.ts'
import { verifyJournal } from '../../store/journal-verification.ts'
import type { CliContext } from '../context.ts'
import { CliError, EXIT } from '../exit.ts'
import { addRootOption, explained, type JournalOptions, journalFile, loadJournalSettings } from '../journal-file.ts'
import { oneLine } from '../ui/terminal.ts'

interface VerifyOptions extends JournalOptions {
  against?: string
  key?: string
}

/** A verified file, with the key that signed it. */
interface Verified {
  file: string
  signed_by: string
  report: ChainReport
}

export function setUpAuditVerify(command: Command, context: CliContext): void {
  addRootOption(
    command
      .description('Verify that the journal, or an export of it, is unchanged. Changes nothing.')
      .argument('[export]', 'a file written by toolgate audit export; it is verified without the journal')
  )
    .option('--against <export>', 'an earlier export: its last record must still be in the chain of the journal')
    .option('--key <key>', 'public key that must have signed the chain, as printed by toolgate audit key')
    .addHelpText(
      'after',
      `
Finds rows that were changed, removed, inserted or put in another order, and prints the event at each place. A server may
be running. Exit code 1 if anything was changed.

Someone who can write to the state folder also has the key, and can write a new chain. Keep an export, or its last
line on the screen, elsewhere, and compare with --against; keep the key elsewhere, and compare with --key.

Examples:
  toolgate audit verify
  toolgate audit verify --against /backup/audit-2026-01.jsonl
  toolgate audit verify audit.jsonl --key FaE…`
    )
    .action(async (exported: string | undefined, _: VerifyOptions, action: Command) => {
      const options = action.optsWithGlobals<VerifyOptions>()
      const find = (file: string) => path.resolve(context.runtime.cwd, file)
      const known = options.against === undefined ? [] : [readKnownRecord(find(options.against), options.key)]
      const verified =
        exported === undefined ? await verifyOwn(context, options, known) : verifyFile(find(exported), known)
      const { terminal } = context
      if (terminal.json) terminal.printJson({ file: verified.file, signed_by: verified.signed_by, ...verified.report })
      assertKey(verified, options.key)
      if (verified.report.fault_count > 0) await reportFaults(context, verified)
      else if (!terminal.json) printVerified(context, verified)
    })
}

/** Reads the last record of an earlier export, which must be whole and signed by the same key. */
function readKnownRecord(file: string, key: string | undefined): KnownRecord {
  const verified = verifyFile(file, [])
  assertKey(verified, key)
  const { last, hash } = verified.report.records
  if (verified.report.fault_count === 0) return { n: last, hash, from: `the export ${file}` }
  throw new CliError(`The export ${file} was changed after it was written, so it cannot be used for comparison.`, {
    exit: EXIT.failed,
    code: 'AUDIT_FAILED',
    hint: 'See: toolgate audit verify <export>'
  })
}

function checkThere(file: string): string {
  if (existsSync(file)) return file
  throw new CliError(`The file ${file} does not exist.`, { exit: EXIT.failed, code: 'NOT_FOUND' })
}

async function verifyOwn(context: CliContext, options: VerifyOptions, known: KnownRecord[]): Promise<Verified> {
  const settings = await loadJournalSettings(context, { root: [options.root ?? []].flat() })
  const file = journalFile(settings)
  const report = explained(() => (existsSync(file) ? verifyJournal(file, known) : undefined))
  if (report === undefined) throw noChainError(file)
  return { file, signed_by: report.key, report }
}

export const noChainError = (file: string) =>
  new CliError(`The journal ${file} has no chain: no server of this version has used it.`, {
    exit: EXIT.failed,
    code: 'NOT_FOUND',
    hint: 'Start a server, which begins the chain: toolgate serve'
  })

function verifyFile(file: string, known: KnownRecord[]): Verified {
  try {
    const { header, report } = verifyExport(checkThere(file), known)
    return { file, signed_by: header.key, report }
  } catch (error) {
    if (!(error instanceof ExportError)) throw error
    throw new CliError(error.message, { exit: EXIT.failed, code: 'AUDIT_FAILED' })
  }
}

function assertKey({ file, signed_by }: Verified, key: string | undefined) {
  if (key === undefined || key === signed_by) return
  throw new CliError(`${file} is signed by the key ${signed_by}, not by ${key}.`, {
    exit: EXIT.failed,
    code: 'AUDIT_FAILED',
    hint: 'The file was signed with another key than the key given with --key. Compare the fingerprints of the keys.'
  })
}

async function reportFaults({ terminal }: CliContext, { file, report: { faults, fault_count } }: Verified) {
  if (!terminal.json)
    await terminal.table(
      ['EVENT', 'CALL', 'RECORD', 'PROBLEM'],
      faults.map(({ event_id, tool_call_id = '', record, problem }) => [
        event_id ?? '',
        oneLine(tool_call_id),
        String(record ?? ''),
        oneLine(problem)
      ])
    )
  throw new CliError(`Records in ${file} were changed after they were written: ${fault_count} problems were found.`, {
    exit: EXIT.failed,
    code: 'AUDIT_FAILED'
  })
}

function printVerified({ terminal }: CliContext, { file, signed_by, report }: Verified) {
  const { records, events, calls, uncovered, unsigned, epochs } = report
  terminal.print(`${file} is unchanged.`)
  const rows: [string, string][] = [
    ['verified', `events: ${events}, calls: ${calls}`],
    ['chain', `records ${records.first} to ${records.last}, last hash ${records.hash}`],
    ['journal', `${report.journal_id}${epochs.map(({ reason, at }) => `, ${reason} ${at}`).join('')}`],
    ['key', `${signed_by}; unsigned records: ${unsigned}`]
  ]
  if (uncovered.events + uncovered.calls > 0)
    rows.push(['not covered', `before the chain began: events: ${uncovered.events}, calls: ${uncovered.calls}`])
  for (const [name, value] of rows) terminal.print(`  ${name.padEnd(11)} ${value}`)
}
