// Options that describe a rule, and the rule that they make.
import type { Command } from 'commander'
import type { NewRule, SavedRule } from '../../client/client.ts'
import { parseDuration } from '../context.ts'
import { parseChoice, usageError } from '../exit.ts'

export interface RuleOptions {
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
  cwd?: string
  isolation?: string
  network?: string[]
  port?: string[]
  scope: string
  session?: string
  workspace?: string
  reason?: string
  expires?: string
}

const RULE_EFFECTS = ['allow', 'ask', 'deny'] as const

/** Adds the options for the fields of a rule. */
export const addRuleOptions = (command: Command): Command =>
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
    .option('--expires <duration>', 'lifetime of the rule, such as 2h')
    .option('-m, --reason <text>', 'reason that approvers and callers see')

/** Validates only the syntax; the server validates every field. */
export function toNewRule(effect: string, options: RuleOptions): NewRule {
  const decides = parseChoice('effect', effect, RULE_EFFECTS)
  const { tool, category, agent, client, path, host, prefix, pattern, param, cwd } = options
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
  const expires = options.expires && new Date(Date.now() + parseDuration(options.expires)).toISOString()
  return {
    effect: decides,
    match: match as SavedRule['match'],
    scope: options.scope as SavedRule['scope'],
    ...(options.scope !== 'user' && options.workspace !== undefined && { workspace: options.workspace }),
    ...(options.session !== undefined && { session_id: options.session }),
    ...(options.reason !== undefined && { reason: options.reason }),
    ...(expires && { expires_at: expires })
  }
}
