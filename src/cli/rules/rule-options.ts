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
      'path relative to the workspace: allow requires all paths of the call to match, ask and deny any'
    )
    .option('--host <name>', 'host, *.domain, or either with :port')
    .option('--command <text>', 'exactly this command line')
    .option('--prefix <words>', 'command lines that begin with these words')
    .option('--pattern <pattern>', 'RE2 regular expression that matches the whole value of a parameter')
    .option('--param <name>', 'parameter for --pattern (default: the main one of the tool)')
    .option('--cwd <glob>', 'working directory of the command (default for allow: the root)')
    .option(
      '--isolation <level>',
      'none, workspace or read-only: allow requires at least this level, ask and deny at most'
    )
    .option('--network <host...>', 'requested hosts: allow requires all to match, ask and deny any')
    .option('--port <port...>', 'reachable ports of the command: allow requires all to match, ask and deny any')
    .option('--scope <scope>', 'session, workspace or user', 'workspace')
    .option('--session <id>', 'with --scope session')
    .option('--workspace <name>', 'with --scope session or workspace', 'default')
    .option('--expires <duration>', 'lifetime, such as 2h')
    .option('-m, --reason <text>', 'reason shown to approvers and callers')

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
    throw usageError('Missing condition: a rule needs at least one field to match.', 'See: toolgate rules add --help')
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
