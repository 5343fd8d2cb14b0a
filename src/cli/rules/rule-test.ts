// Sets up `toolgate rules test`: which past calls a changed rule or mode would have decided differently.
import type { Command } from 'commander'
import type { RuleTest, RuleTestRequest } from '../../client/client.ts'
import { SESSION_MODES } from '../../protocol/session-mode.ts'
import { type CliContext, parseTime } from '../context.ts'
import { parseChoice, usageError } from '../exit.ts'
import { oneLine, type Terminal } from '../ui/terminal.ts'
import { addRuleOptions, type RuleOptions, toNewRule } from './rule-options.ts'

interface TestOptions extends RuleOptions {
  mode?: string
  revoke?: string
  since: string
  limit: string
}

type TestedChange =
  | { rule: ReturnType<typeof toNewRule> }
  | { revoke: string }
  | { mode: (typeof SESSION_MODES)[number] }

export function setUpRuleTest(command: Command, context: CliContext): void {
  addRuleOptions(
    command
      .description(
        'Compare the decisions about past calls with the decisions under an added or revoked rule, or in another mode. ' +
          'The calls are evaluated in the current workspace. Nothing is run or saved.'
      )
      .argument('[effect]', 'effect of a rule to add (allow, ask or deny), with the options of toolgate rules add')
  )
    .option('--mode <mode>', `mode to test for all tested sessions, instead of a rule: ${SESSION_MODES.join(', ')}`)
    .option('--revoke <id>', 'saved rule to revoke in the test, instead of a rule to add')
    .option('--since <when>', 'only calls since this time, or an age such as 2h or 7d', '7d')
    .option('--limit <count>', 'maximum number of calls to list', '100')
    .addHelpText(
      'after',
      '\nWith --session or --workspace, only calls of that session or workspace are tested.\n\nExamples:\n' +
        '  toolgate rules test allow --tool shell_exec --prefix "npm test" --since 7d\n' +
        '  toolgate rules test --mode accept-edits --since 7d --session fix-123\n' +
        '  toolgate rules test --revoke rule_01J…'
    )
    .action(async (effect: string | undefined, options: TestOptions) => {
      if (!/^\d+$/.test(options.limit)) throw usageError('Invalid --limit: expected a number.')
      const request: RuleTestRequest = {
        ...toChange(effect, options),
        since: parseTime(options.since, '--since'),
        limit: Number(options.limit),
        ...(options.session !== undefined && { session_id: options.session }),
        ...(command.getOptionValueSource('workspace') === 'cli' && { workspace: options.workspace! })
      }
      const client = await context.connect()
      const { terminal, signal } = context
      const found = await client.testRules(request, { signal })
      if (terminal.json) terminal.printJson(found)
      else await printRuleTest(terminal, found)
    })
}

/** Options that select calls, or have a default. */
const CALL_OPTIONS: ReadonlySet<string> = new Set(['since', 'limit', 'session', 'workspace', 'scope'])

function toChange(effect: string | undefined, { mode, revoke, ...options }: TestOptions): TestedChange {
  if ([effect, mode, revoke].filter(each => each !== undefined).length !== 1)
    throw usageError('Expected exactly one of <effect>, --mode and --revoke.', 'See: toolgate rules test --help')
  const [extra] = Object.keys(options).filter(name => !CALL_OPTIONS.has(name))
  if (effect === undefined && extra !== undefined)
    throw usageError(`--${extra} belongs to a rule: give the effect of the rule instead of --mode or --revoke.`)
  if (mode !== undefined) return { mode: parseChoice('mode', mode, SESSION_MODES) }
  return revoke === undefined ? { rule: toNewRule(effect!, options) } : { revoke }
}

const DECISIONS = ['allow', 'ask', 'strict', 'deny'] as const

async function printRuleTest(terminal: Terminal, { before, after, changed, ...found }: RuleTest) {
  const toRow = (name: string, counts: RuleTest['before']) => [name, ...DECISIONS.map(each => String(counts[each]))]
  await terminal.table(
    ['', ...DECISIONS.map(each => each.toUpperCase())],
    [toRow('now', before), toRow('changed', after)]
  )
  if (changed.length > 0) {
    terminal.print('')
    await terminal.table(
      ['TIME (UTC)', 'NOW', 'CHANGED', 'HAPPENED', 'TOOL', 'TITLE', 'SESSION', 'REASON', 'CALL'],
      changed.map(call => [
        `${call.created_at.slice(0, 10)} ${call.created_at.slice(11, 19)}`,
        call.before,
        call.after,
        call.status,
        oneLine(call.tool),
        oneLine(call.title),
        oneLine(call.session_id),
        oneLine(call.reason),
        call.tool_call_id
      ])
    )
  }
  terminal.info(`${found.changed_total} of ${found.tested} calls would be decided differently.`)
  if (found.changed_total > changed.length)
    terminal.info(`Only the latest ${changed.length} are listed. To see others, use --limit or --since.`)
  if (found.cut) terminal.info('There were too many calls, so the oldest were not tested.')
  for (const { reason, count } of found.not_evaluated)
    terminal.info(`Not tested: ${count} (${NOT_EVALUATED_REASONS[reason] ?? reason})`)
}

const NOT_EVALUATED_REASONS: Readonly<Record<string, string>> = {
  content_removed: 'the content was removed',
  credentials_masked: 'the params contain credentials, which are not stored',
  workspace_gone: 'the workspace is no longer served'
}
