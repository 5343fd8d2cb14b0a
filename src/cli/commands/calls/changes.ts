import {
  type ChangingCall,
  type Client,
  describeDecider,
  type SessionChangesPage,
  type SessionFile
} from '../../../client/client.ts'
import { WITHHELD_REASONS } from '../../../protocol/withheld-reasons.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { pluralize } from '../../../text/pluralize.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { CliError, EXIT } from '../../exit.ts'
import { formatClock } from '../../ui/format-time.ts'
import { colorizeDiff, oneLine, type Terminal } from '../../ui/terminal.ts'

interface Options {
  workspace?: string
  stat?: true
}

interface SessionName {
  session_id: string
  workspace?: string | undefined
}

/** Number of the newest calls among which a session with changes is looked for. */
const MAX_RECENT_CALLS = 50

const changes: CommandSetup = (command, context) => {
  command
    .description(
      'Show what the calls of a session changed: one diff per file, from the content before the first call to that after the last. Default: the session that changed files last.'
    )
    .argument('[session]', 'id of the session')
    .option('--workspace <name>', 'workspace of the session, if several are served')
    .option('--stat', 'only list the files and calls, without diffs')
    .addHelpText('after', '\nExamples:\n  toolgate changes\n  toolgate changes fix-123\n  toolgate changes --stat')
    .action(async (session_id: string | undefined, { workspace, stat }: Options) => {
      const client = await context.connect()
      const { terminal, signal } = context
      const name =
        session_id === undefined
          ? await findNewestSession(client, workspace, signal)
          : { session_id, ...(workspace !== undefined && { workspace }) }
      const found = await readAllPages(client, name, signal)
      if (terminal.json) return terminal.printJson(found)
      if (found.files.length === 0)
        return terminal.info(`No call of the session ${oneLine(found.session_id)} changed a file.`)
      terminal.print(formatFiles(terminal, found))
      terminal.print('')
      await terminal.table(['CALL', 'TOOL', 'BY', 'DECISION', 'ENDED', 'UNDO'], found.calls.map(toCallRow))
      const diffs = found.files.flatMap(({ diff }) => diff ?? [])
      if (!stat && diffs.length > 0)
        terminal.print(`\n${diffs.map(diff => colorizeDiff(terminal, diff.trimEnd())).join('\n')}`)
      terminal.info(`To undo all changes: toolgate undo ${found.first_call} --since`)
    })
}
export default changes

/** Finds the session of the newest call that changed files, or else of the newest call. */
async function findNewestSession(
  client: Client,
  workspace: string | undefined,
  signal: AbortSignal
): Promise<SessionName> {
  const where = workspace === undefined ? {} : { workspace }
  const { calls } = await client.calls({ limit: MAX_RECENT_CALLS, ...where, signal })
  const newest = calls.find(call => 'changes' in call && (call.changes?.length ?? 0) > 0) ?? calls[0]
  if (newest) return { session_id: newest.session_id, workspace: newest.workspace }
  throw new CliError('There are no calls yet.', { exit: EXIT.failed, code: 'NOT_FOUND' })
}

async function readAllPages(client: Client, { session_id, workspace }: SessionName, signal: AbortSignal) {
  const where = workspace === undefined ? {} : { workspace }
  const read = (cursor: string | undefined) =>
    client.sessionChanges(session_id, { ...where, ...(cursor !== undefined && { cursor }), signal })
  let { cursor, ...all } = await read(undefined)
  while (cursor !== undefined) {
    const next: SessionChangesPage = await read(cursor)
    const known = new Set(all.calls.map(({ tool_call_id }) => tool_call_id))
    const calls = next.calls.filter(({ tool_call_id }) => !known.has(tool_call_id))
    all = { ...all, calls: [...all.calls, ...calls], files: [...all.files, ...next.files] }
    cursor = next.cursor
  }
  return { ...all, calls: all.calls.sort((a, b) => (a.finished_at < b.finished_at ? -1 : 1)) }
}

function formatFiles(terminal: Terminal, { session_id, files, truncated }: Omit<SessionChangesPage, 'cursor'>): string {
  const sum = (name: 'added' | 'removed') => files.reduce((total, file) => total + (file[name] ?? 0), 0)
  const heading = `Session ${oneLine(session_id)}: ${pluralize(files.length, 'file')}, +${sum('added')} -${sum('removed')}`
  return [
    terminal.paint('bold', heading),
    ...(truncated ? [terminal.paint('yellow', 'Only the newest calls of the session are included.')] : []),
    ...files.map(file => formatFile(terminal, file))
  ].join('\n')
}

function formatFile(terminal: Terminal, file: SessionFile): string {
  const { path, from, kind, operation, added, removed, withheld, changed_between, changed_since } = file
  const notes = [
    ...(kind ? [kind] : []),
    ...(withheld ? [WITHHELD_REASONS[withheld]] : []),
    ...(changed_between ? ['Others changed it between the calls: the diff contains their changes.'] : []),
    ...(changed_since ? ['It was changed since: the diff does not show that.'] : [])
  ]
  const counts = added === undefined ? '' : `  +${added} -${removed}`
  return [
    `  ${operation.padEnd(9)} ${escapeInvisible(from === undefined ? path : `${from} → ${path}`)}${counts}`,
    ...notes.map(note => terminal.paint('yellow', `            ${note}`))
  ].join('\n')
}

const toCallRow = ({ tool_call_id, tool, agent, client, approved_by, finished_at, undo }: ChangingCall): string[] =>
  [
    tool_call_id,
    tool,
    agent ?? client,
    (approved_by && describeDecider(approved_by)) ?? '',
    formatClock(finished_at),
    undo?.available ? 'available' : (undo?.reason ?? '')
  ].map(oneLine)
