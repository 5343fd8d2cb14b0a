// Options that describe a rule, and the rule that they make.
import type { Command } from 'commander'
import type { NewRule, SavedRule } from '../../client/client.ts'
import { isDuration } from '../../protocol/duration.ts'
import { MAX_APPROVALS } from '../../protocol/rules.ts'
import { parseChoice, usageError } from '../exit.ts'
import { toBranchPattern } from './branch-pattern.ts'
import { addEndOptions, type EndOptions, toEnds } from './rule-ends.ts'

export interface RuleOptions extends EndOptions {
  tool?: string
  category?: string
  effect?: string
  agent?: string
  client?: string
  path?: string
  host?: string
  command?: string
  prefix?: string
  pattern?: string
  param?: string
  branch?: string
  cwd?: string
  isolation?: string
  network?: string[]
  port?: string[]
  scope: string
  session?: string
  workspace?: string
  reason?: string
  approvals?: string
  expiresAfter?: string
  rate?: string
  each?: string
}

const RULE_EFFECTS = ['allow', 'ask', 'deny'] as const

/** Adds the options for the fields of a rule. */
export const addRuleOptions = (command: Command): Command =>
  addEndOptions(addMatchOptions(command))
    .option('--rate <calls/period>', 'allow at most this number of calls within a sliding period, such as 100/1h')
    .option('--each <subject>', 'with --rate: count the calls of each agent or of each session separately')
    .option('-m, --reason <text>', 'reason that approvers and callers see')

/** Adds the options for what an ask rule requires of the decision. */
export const addDemandOptions = (command: Command): Command =>
  command
    .option('--approvals <number>', 'with ask: number of different persons who must approve')
    .option('--expires-after <duration>', 'with ask: time after which a waiting call expires, such as 10m')

const addMatchOptions = (command: Command): Command =>
  command
    .option('--tool <name>', 'tool name or glob')
    .option('--category <name>', 'category of the tool')
    .option('--effect <effect>', 'read, create, write, execute, network or destructive')
    .option('--agent <name>', 'name of the agent')
    .option('--client <name>', 'name of the client')
    .option(
      '--path <glob>',
      'path relative to the workspace root: an allow rule must match all paths of the call, an ask or deny rule at least one'
    )
    .option('--host <name>', 'host name or *.domain, optionally with :port')
    .option('--command <text>', 'the exact command line')
    .option('--prefix <words>', 'command lines that begin with these words')
    .option('--pattern <pattern>', 'RE2 regular expression that matches the whole value of a parameter')
    .option('--param <name>', 'parameter for --pattern (default: the main parameter of the tool)')
    .option('--branch <glob>', 'branch that the parameter branch must name, such as feature/*')
    .option('--cwd <glob>', 'working directory of the command (default for allow: the workspace root)')
    .option(
      '--isolation <level>',
      'none, workspace or read-only: an allow rule matches this level and stricter ones, an ask or deny rule this level and weaker ones'
    )
    .option(
      '--network <host...>',
      'requested hosts: an allow rule must match all of them, an ask or deny rule at least one'
    )
    .option(
      '--port <port...>',
      'reachable ports of the command: an allow rule must match all of them, an ask or deny rule at least one'
    )
    .option('--scope <scope>', 'scope of the rule: session, workspace or user', 'workspace')
    .option('--session <id>', 'session of the rule, with --scope session')
    .option('--workspace <name>', 'workspace of the rule, with --scope session or workspace', 'default')

/** Validates only the syntax; the server validates every field. */
export function toNewRule(effect: string, options: RuleOptions): NewRule {
  const decides = parseChoice('effect', effect, RULE_EFFECTS)
  const { tool, category, agent, client, path, host, prefix, branch, cwd, rate, each } = options
  if (branch !== undefined && (options.pattern ?? options.param) !== undefined)
    throw usageError('--branch cannot be combined with --pattern and --param.')
  if (each !== undefined && rate === undefined) throw usageError('--each requires --rate.')
  const { pattern, param } = branch === undefined ? options : { pattern: toBranchPattern(branch), param: 'branch' }
  const command = prefix ?? options.command
  const mode = command === undefined ? undefined : prefix === undefined ? 'exact' : 'prefix'
  const fields = {
    tool,
    category,
    effect: options.effect,
    agent,
    client,
    path,
    host,
    command,
    mode,
    pattern,
    param,
    cwd,
    isolation: options.isolation,
    network: options.network,
    ports: options.port?.map(Number)
  }
  const match = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  if (Object.keys(match).length === 0)
    throw usageError('The rule needs at least one condition.', 'See: toolgate rules add --help')
  return {
    effect: decides,
    match: match as SavedRule['match'],
    scope: options.scope as SavedRule['scope'],
    ...(options.scope !== 'user' && options.workspace !== undefined && { workspace: options.workspace }),
    ...(options.session !== undefined && { session_id: options.session }),
    ...(options.reason !== undefined && { reason: options.reason }),
    ...(options.approvals !== undefined && { approvals: parseApprovals(decides, options.approvals) }),
    ...(options.expiresAfter !== undefined && { expires_after: parseExpiresAfter(decides, options.expiresAfter) }),
    ...toEnds(options),
    ...(rate !== undefined && { limit: parseRate(rate, each) })
  }
}

function parseApprovals(effect: NewRule['effect'], text: string): number {
  if (effect !== 'ask') throw usageError('--approvals requires the effect ask.')
  const approvals = Number(text)
  if (Number.isInteger(approvals) && approvals >= 1 && approvals <= MAX_APPROVALS) return approvals
  throw usageError(`Invalid --approvals: ${text}.`, `Write a number from 1 to ${MAX_APPROVALS}.`)
}

function parseExpiresAfter(effect: NewRule['effect'], text: string): string {
  if (effect !== 'ask') throw usageError('--expires-after requires the effect ask.')
  if (!isDuration(text)) throw usageError(`Invalid --expires-after: ${text}.`, 'Write the duration as 30m, 2h or 7d.')
  return text
}

function parseRate(text: string, each: string | undefined): NonNullable<NewRule['limit']> {
  const [, calls, per] = /^([1-9]\d{0,5})\/(.+)$/.exec(text) ?? []
  if (calls === undefined || per === undefined || !isDuration(per))
    throw usageError(`Invalid --rate: ${text}.`, 'Write the rate as 100/1h, 20/10m or 5/1d.')
  return { calls: Number(calls), per, ...(each !== undefined && { each: parseChoice('--each', each, LIMIT_SUBJECTS) }) }
}

const LIMIT_SUBJECTS = ['agent', 'session'] as const
