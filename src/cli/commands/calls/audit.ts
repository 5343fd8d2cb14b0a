import { type Call, type Client, describeDecider, type LogFilter } from '../../../client/client.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { setUpAuditExport } from '../../audit/export.ts'
import { setUpAuditKey } from '../../audit/key.ts'
import { setUpAuditVerify } from '../../audit/verify.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { parseTime } from '../../context.ts'
import { parseChoice, usageError } from '../../exit.ts'
import { formatReason } from '../../ui/format.ts'
import { oneLine, type TextStyle } from '../../ui/terminal.ts'

interface Options {
  since?: string
  until?: string
  tool?: string
  session?: string
  workspace?: string
  path?: string
  decision?: string
  limit: string
}

/** Decisions about a call, by source. */
const DECISIONS = {
  auto: 'ran without approval',
  rule: 'allowed by a rule',
  approved: 'approved by a person',
  rejected: 'rejected by a person',
  denied: 'denied by the default policy, a rule or a hook',
  expired: 'expired before someone decided',
  withdrawn: 'cancelled or ended before someone decided',
  waiting: 'waiting for a decision'
} as const satisfies Record<string, string>
type Decision = keyof typeof DECISIONS

/** One decision in the output. */
interface AuditEntry {
  at: string
  decision: Decision
  by: string
  tool: string
  about: string
  why: string
  tool_call_id: string
  session_id: string
  agent?: string
  client: string
  status: Call['status']
  digest?: string
}

const audit: CommandSetup = (command, context) => {
  command
    .description(
      'Show who approved or rejected which calls, when and why, with the latest call last. The subcommands verify and ' +
        'export the journal.'
    )
    .option('--since <when>', 'only calls since this time, or an age such as 2h or 7d')
    .option('--until <when>', 'only calls before this time, or an age')
    .option('--tool <name>', 'only calls of this tool')
    .option('--session <id>', 'only calls of this session')
    .option('--workspace <name>', 'only calls in this workspace')
    .option('--path <path>', 'only calls that touched this file')
    .option('--decision <names>', `only ${Object.keys(DECISIONS).join(', ')}; several separated by commas`)
    .option('--limit <count>', 'number of latest calls; 0 for all calls', '200')
    .addHelpText(
      'after',
      `
Decisions:
${Object.entries(DECISIONS)
  .map(([name, means]) => `  ${name.padEnd(10)} ${means}`)
  .join('\n')}

Examples:
  toolgate audit --since 24h
  toolgate audit --decision approved,rejected --tool shell_exec
  toolgate audit --since 2026-01-31 --limit 0 --json > audit.json
  toolgate audit verify`
    )
    .action(async (options: Options) => {
      const wanted = parseDecisions(options.decision)
      if (!/^\d+$/.test(options.limit)) throw usageError('Invalid --limit: expected a number.')
      const most = Number(options.limit) || Number.POSITIVE_INFINITY
      const client = await context.connect()
      const { terminal } = context
      const found: AuditEntry[] = []
      for await (const call of iterateCalls(client, toLogQuery(options), context)) {
        const each = toAuditEntry(call)
        if (wanted && !wanted.has(each.decision)) continue
        found.push(each)
        if (found.length === most) break
      }
      // The server returns the latest first; print it last, next to the prompt.
      found.reverse().sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
      if (terminal.json) terminal.printJson(found)
      else await printEntries(context, found)
      if (found.length === most)
        terminal.info(`Showing the latest ${most} calls; there may be more: use --limit or --until.`)
    })

  setUpAuditVerify(command.command('verify'), context)
  setUpAuditExport(command.command('export'), context)
  setUpAuditKey(command.command('key'), context)
}
export default audit

function parseDecisions(given: string | undefined): ReadonlySet<string> | undefined {
  if (given === undefined) return undefined
  return new Set(given.split(',').map(name => parseChoice('decision', name.trim(), Object.keys(DECISIONS))))
}

function toLogQuery({ since, until, tool, session, workspace, path }: Options): LogFilter {
  const fields = {
    since: since && parseTime(since, '--since'),
    until: until && parseTime(until, '--until'),
    tool,
    session_id: session,
    workspace,
    path
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const PAGE_SIZE = 200

async function* iterateCalls(client: Client, query: LogFilter, { signal }: CliContext): AsyncGenerator<Call> {
  let cursor: string | undefined
  do {
    const page = await client.calls({ ...query, limit: PAGE_SIZE, signal, ...(cursor !== undefined && { cursor }) })
    yield* page.calls
    cursor = page.cursor ?? undefined
  } while (cursor !== undefined)
}

function toAuditEntry(call: Call): AuditEntry {
  const { tool, tool_call_id, session_id, agent, client, status } = call
  const judged = toAuditDecision(call)
  return {
    ...judged,
    tool,
    about: describeCall(call),
    tool_call_id,
    session_id,
    ...(agent !== undefined && { agent }),
    client,
    status
  }
}

type AuditDecision = Pick<AuditEntry, 'at' | 'decision' | 'by' | 'why' | 'digest'>

function toAuditDecision(call: Call): AuditDecision {
  const approval = 'approval' in call ? call.approval : undefined
  const approvalReason = approval?.reason ?? ''
  if (call.status === 'awaiting_approval')
    return { at: call.created_at, decision: 'waiting', by: '', why: approvalReason }
  if (call.status === 'expired') return { at: call.finished_at, decision: 'expired', by: '', why: formatReason(call) }
  const by = call.status === 'rejected' ? call.rejected_by : call.approved_by
  if (call.status === 'error' && BLOCKED_CODES.includes(call.error.code))
    return { at: call.finished_at, decision: 'denied', by: 'policy', why: formatReason(call) }
  if (by === undefined)
    return 'finished_at' in call
      ? { at: call.finished_at, decision: 'withdrawn', by: '', why: formatReason(call) }
      : { at: call.created_at, decision: 'auto', by: '', why: '' }
  const digest = by.digest === undefined ? {} : { digest: by.digest }
  const who = describeDecider({ ...by, source: by.hook ?? by.rule_id ?? by.source }) ?? ''
  if (call.status === 'rejected')
    return {
      at: by.at,
      decision: by.source === 'user' ? 'rejected' : 'denied',
      by: who,
      why: formatReason(call),
      ...digest
    }
  const decision = by.source === 'user' ? 'approved' : by.source === 'auto' ? 'auto' : 'rule'
  return { at: by.at, decision, by: decision === 'auto' ? '' : who, why: by.reason ?? approvalReason, ...digest }
}

/** Error codes of calls that are always denied. */
const BLOCKED_CODES: readonly string[] = ['COMMAND_BLOCKED', 'URL_BLOCKED']

/** Describes the subject of a call in a few words. */
function describeCall(call: Call): string {
  if ('approval' in call && call.approval) return call.approval.preview.title
  if (call.status === 'success') return call.result.title
  const params = call.params as Record<string, unknown>
  return String(params.command ?? params.path ?? JSON.stringify(params))
}

const DECISION_STYLES: Partial<Record<Decision, TextStyle>> = {
  approved: 'green',
  rejected: 'red',
  denied: 'red',
  expired: 'yellow',
  waiting: 'yellow'
}

async function printEntries({ terminal }: CliContext, found: readonly AuditEntry[]) {
  if (found.length === 0) return terminal.info('No matching calls.')
  const rows = found.map(({ at, decision, by, tool, about, why, tool_call_id }) => [
    `${at.slice(0, 10)} ${at.slice(11, 19)}`,
    DECISION_STYLES[decision] ? terminal.paint(DECISION_STYLES[decision], decision) : decision,
    escapeInvisible(by),
    oneLine(tool),
    oneLine(about),
    oneLine(why),
    tool_call_id
  ])
  await terminal.table(['TIME (UTC)', 'DECISION', 'BY', 'TOOL', 'TITLE', 'REASON', 'CALL'], rows)
}
