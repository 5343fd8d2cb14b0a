import type { NewRule, RememberedRule } from '../client/client.ts'
import { duration } from './context.ts'
import { oneOf, usage } from './exit.ts'
import type { Verb } from './run.ts'
import { oneLine, safeJson } from './terminal.ts'
import { due } from './times.ts'

interface AddOptions {
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
  scope: string
  session?: string
  workspace?: string
  reason?: string
  expires?: string
}

const EFFECTS = ['allow', 'ask', 'deny'] as const

const rules: Verb = (command, context) => {
  command
    .description('List remembered rules; add and revoke them. Configured rules stand in the configuration files.')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate rules\n  toolgate rules add allow --tool shell_exec --prefix "npm test"\n  toolgate rules revoke rule_01J…'
    )
    .action(async () => {
      const client = await context.connect()
      const { terminal, signal } = context
      const all = await client.rules({ signal })
      if (terminal.json) return terminal.outJson(all)
      if (all.length === 0) return terminal.say('No rule is remembered.')
      const rows = all.map(rule => [
        rule.rule_id,
        rule.effect,
        rule.scope,
        rule.expires_at ? due(rule.expires_at) : 'never',
        oneLine(safeJson(rule.match))
      ])
      terminal.table(['RULE', 'EFFECT', 'SCOPE', 'EXPIRES', 'MATCHES'], rows)
    })

  command
    .command('add')
    .description('Remember a rule: allow, ask or deny what matches every field given.')
    .argument('<effect>', 'allow, ask or deny')
    .option('--tool <name>', 'tool name, or a glob')
    .option('--category <name>', 'category of the tool')
    .option('--effect <effect>', 'read, create, write, execute, network or destructive')
    .option('--agent <name>', 'name of the agent')
    .option('--client <name>', 'name of the client')
    .option('--path <glob>', 'path touched, relative to the workspace: every one to allow, any to ask or deny')
    .option('--host <name>', 'host, *.domain, or either with :port')
    .option('--command <text>', 'exactly this command')
    .option('--prefix <words>', 'commands that begin with these words')
    .option('--pattern <pattern>', 'the whole text of a param, as a pattern of RE2')
    .option('--param <name>', 'the param that --pattern is for: by default what the call is about')
    .option('--cwd <glob>', 'folder that the command runs in; the root where it is left out to allow a command')
    .option('--isolation <level>', 'none, workspace or strict: this or more to allow, this or less to ask or deny')
    .option('--network <host...>', 'hosts that the call may ask to reach: all to allow, any to ask or deny')
    .option('--scope <scope>', 'session, workspace or user', 'workspace')
    .option('--session <id>', 'with --scope session')
    .option('--workspace <name>', 'with --scope session or workspace', 'default')
    .option('--expires <duration>', 'forget it after this long, such as 2h')
    .option('-m, --reason <text>', 'shown to whoever is asked or refused')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate rules add allow --tool shell_exec --prefix "npm test"\n  toolgate rules add deny --path "secrets/**" -m "Ask me in person."\n  toolgate rules add allow --tool edit_file --path "docs/**" --expires 2h'
    )
    .action(async (effect: string, options: AddOptions) => {
      const rule = newRule(effect, options)
      const client = await context.connect()
      const { terminal, signal } = context
      const added = await client.addRule(rule, { signal })
      if (terminal.json) terminal.outJson(added)
      else terminal.out(added.rule_id)
    })

  command
    .command('revoke <id...>')
    .description('Take remembered rules back.')
    .addHelpText('after', '\nExample:\n  toolgate rules revoke rule_01J…')
    .action(async (ids: string[]) => {
      const client = await context.connect()
      const { terminal, signal } = context
      for (const id of ids) {
        const revoked = await client.revokeRule(id, { signal })
        if (terminal.json) terminal.outJson(revoked)
        else terminal.out(`${id} revoked`)
      }
    })
}
export default rules

/** The server checks every field; only what can't be said is refused here. */
function newRule(effect: string, options: AddOptions): NewRule {
  const decides = oneOf('The effect', effect, EFFECTS)
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
    network: options.network
  }
  const match = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  if (Object.keys(match).length === 0) throw usage('Say what the rule matches.', 'See: toolgate rules add --help')
  const expires = options.expires && new Date(Date.now() + duration(options.expires)).toISOString()
  return {
    effect: decides,
    match: match as RememberedRule['match'],
    scope: options.scope as RememberedRule['scope'],
    ...(options.scope !== 'user' && options.workspace !== undefined && { workspace: options.workspace }),
    ...(options.session !== undefined && { session_id: options.session }),
    ...(options.reason !== undefined && { reason: options.reason }),
    ...(expires && { expires_at: expires })
  }
}
