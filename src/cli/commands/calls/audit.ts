import type { Call, Client, LogQuery } from '../../../client/client.ts'
import type { Context } from '../../context.ts'
import { ago } from '../../context.ts'
import { oneOf, usage } from '../../exit.ts'
import type { Verb } from '../../run.ts'
import { reasonOf } from '../../ui/format.ts'
import { oneLine, type Style, safe } from '../../ui/terminal.ts'

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

/** What was decided about a call, and by whom. */
const DECISIONS = {
  auto: 'ran without asking',
  rule: 'allowed by a rule',
  approved: 'approved by a person',
  rejected: 'rejected by a person',
  denied: 'denied by policy, a rule or a hook',
  expired: 'not decided in time',
  withdrawn: 'cancelled or ended before a decision',
  waiting: 'not decided yet'
} as const satisfies Record<string, string>
type Decision = keyof typeof DECISIONS

/** One decision, as it is told. */
interface Decided {
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

const audit: Verb = (command, context) => {
  command
    .description('Show who approved or rejected which calls, when and why; latest last.')
    .option('--since <when>', 'start: a time, or an age such as 2h or 7d')
    .option('--until <when>', 'end: a time, or an age')
    .option('--tool <name>', 'only calls of this tool')
    .option('--session <id>', 'only calls of this session')
    .option('--workspace <name>', 'only calls in this workspace')
    .option('--path <path>', 'only calls that touched this file')
    .option('--decision <names>', `only ${Object.keys(DECISIONS).join(', ')}; several separated by commas`)
    .option('--limit <count>', 'number of latest calls; 0 for all', '200')
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
  toolgate audit --since 2026-01-31 --limit 0 --json > audit.json`
    )
    .action(async (options: Options) => {
      const wanted = wantedOf(options.decision)
      if (!/^\d+$/.test(options.limit)) throw usage('Invalid --limit: expected a number.')
      const most = Number(options.limit) || Number.POSITIVE_INFINITY
      const client = await context.connect()
      const { terminal } = context
      const found: Decided[] = []
      for await (const call of callsOf(client, queryOf(options), context)) {
        const each = decidedOf(call)
        if (wanted && !wanted.has(each.decision)) continue
        found.push(each)
        if (found.length === most) break
      }
      // The server tells the latest first; read from top to bottom, the latest stands by the prompt.
      found.reverse().sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
      if (terminal.json) terminal.outJson(found)
      else tell(context, found)
      if (found.length === most)
        terminal.say(`Showing the latest ${most} calls; there may be more: use --limit or --until.`)
    })
}
export default audit

function wantedOf(given: string | undefined): ReadonlySet<string> | undefined {
  if (given === undefined) return undefined
  return new Set(given.split(',').map(name => oneOf('decision', name.trim(), Object.keys(DECISIONS))))
}

function queryOf({ since, until, tool, session, workspace, path }: Options): LogQuery {
  const fields = {
    since: since && timeOf(since, '--since'),
    until: until && timeOf(until, '--until'),
    tool,
    session_id: session,
    workspace,
    path
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** A time as given, or so long before now. */
function timeOf(text: string, option: string): string {
  const before = ago(text)
  const at = before === undefined ? Date.parse(text) : Date.now() - before
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw usage(
    `Invalid time of ${option}: ${text}.`,
    'Write it as 2026-01-31, 2026-01-31T12:00:00Z, or as an age: 2h, 7d.'
  )
}

const PAGE = 200

async function* callsOf(client: Client, query: LogQuery, { signal }: Context): AsyncGenerator<Call> {
  let cursor: string | undefined
  do {
    const page = await client.calls({ ...query, limit: PAGE, signal, ...(cursor !== undefined && { cursor }) })
    yield* page.calls
    cursor = page.cursor ?? undefined
  } while (cursor !== undefined)
}

function decidedOf(call: Call): Decided {
  const { tool, tool_call_id, session_id, agent, client, status } = call
  const judged = judgedOf(call)
  return {
    ...judged,
    tool,
    about: aboutOf(call),
    tool_call_id,
    session_id,
    ...(agent !== undefined && { agent }),
    client,
    status
  }
}

type Judged = Pick<Decided, 'at' | 'decision' | 'by' | 'why' | 'digest'>

function judgedOf(call: Call): Judged {
  const approval = 'approval' in call ? call.approval : undefined
  const asked = approval?.reason ?? ''
  if (call.status === 'awaiting_approval') return { at: call.created_at, decision: 'waiting', by: '', why: asked }
  if (call.status === 'expired') return { at: call.finished_at, decision: 'expired', by: '', why: reasonOf(call) }
  const by = call.status === 'rejected' ? call.rejected_by : call.approved_by
  if (call.status === 'error' && BLOCKED.includes(call.error.code))
    return { at: call.finished_at, decision: 'denied', by: 'policy', why: reasonOf(call) }
  if (by === undefined)
    return 'finished_at' in call
      ? { at: call.finished_at, decision: 'withdrawn', by: '', why: reasonOf(call) }
      : { at: call.created_at, decision: 'auto', by: '', why: '' }
  const digest = by.digest === undefined ? {} : { digest: by.digest }
  const who = by.client ?? by.hook ?? by.rule_id ?? by.source
  if (call.status === 'rejected')
    return {
      at: by.at,
      decision: by.source === 'user' ? 'rejected' : 'denied',
      by: who,
      why: reasonOf(call),
      ...digest
    }
  const decision = by.source === 'user' ? 'approved' : by.source === 'auto' ? 'auto' : 'rule'
  return { at: by.at, decision, by: decision === 'auto' ? '' : who, why: by.reason ?? asked, ...digest }
}

/** Refused whatever anybody says. */
const BLOCKED: readonly string[] = ['COMMAND_BLOCKED', 'URL_BLOCKED']

/** What it was about, in a few words. */
function aboutOf(call: Call): string {
  if ('approval' in call && call.approval) return call.approval.preview.title
  if (call.status === 'success') return call.result.title
  const params = call.params as Record<string, unknown>
  return String(params.command ?? params.path ?? JSON.stringify(params))
}

const STYLES: Partial<Record<Decision, Style>> = {
  approved: 'green',
  rejected: 'red',
  denied: 'red',
  expired: 'yellow',
  waiting: 'yellow'
}

function tell({ terminal }: Context, found: readonly Decided[]) {
  if (found.length === 0) return terminal.say('No matching calls.')
  const rows = found.map(({ at, decision, by, tool, about, why, tool_call_id }) => [
    `${at.slice(0, 10)} ${at.slice(11, 19)}`,
    STYLES[decision] ? terminal.paint(STYLES[decision], decision) : decision,
    safe(by),
    oneLine(tool),
    oneLine(about),
    oneLine(why),
    tool_call_id
  ])
  terminal.table(['TIME (UTC)', 'DECISION', 'BY', 'TOOL', 'TITLE', 'REASON', 'CALL'], rows)
}
