import type { CallOptions, Client, Explanation } from '../../../client/client.ts'
import { findNarrowestOption } from '../../../protocol/narrowest-option.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { quoteArgv } from '../../../text/shell-quote.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { EXIT, usageError } from '../../exit.ts'
import { ARGS_OPTION, parseParams, readJsonParams } from '../../params.ts'
import { printNarrowestRule, testNarrowestRule } from '../../rules/narrowest-rule.ts'
import { oneLine, type Terminal, toSingleLine } from '../../ui/terminal.ts'

interface Options {
  args?: string
  session?: string
  workspace?: string
  agent?: string
}

const explain: CommandSetup = (command, context) => {
  command
    .usage('[options] <tool> [name=value...]\n       toolgate explain [options] -- <command...>')
    .description('Explain whether a call or a command line would run, need approval or be denied. Runs nothing.')
    .argument('[tool]', 'name of the tool')
    .argument('[params...]', 'parameters as name=value; after --, a command line, in quotes if it contains quotes')
    .option(...ARGS_OPTION)
    .option('--session <id>', 'session of the call')
    .option('--workspace <name>', 'workspace of the call, if several are served')
    .option('--agent <name>', 'name of the agent')
    .addHelpText(
      'after',
      "\nExamples:\n  toolgate explain -- npm test\n  toolgate explain -- 'git log | head'\n  toolgate explain write_file path=a.txt content=b"
    )
    .action(async (_tool: string | undefined, _params: string[], options: Options) => {
      const client = await context.connect()
      const { args, session, workspace, agent } = options
      const callOptions: CallOptions = {
        signal: context.signal,
        ...(session !== undefined && { session_id: session }),
        ...(workspace !== undefined && { workspace }),
        ...(agent !== undefined && { agent })
      }
      const { tool, params } = await resolveRequest(
        client,
        context,
        { words: command.args, ...(args !== undefined && { args }) },
        callOptions
      )
      const explanation = await client.explain(tool, params, callOptions)
      context.exitCode = explanation.verdict.decision === 'deny' ? EXIT.rejected : EXIT.ok
      const { terminal } = context
      if (terminal.json) return terminal.printJson(explanation)
      await printExplanation(terminal, explanation)
      await explainPermission(client, context, explanation, callOptions)
    })
}
export default explain

interface ExplainInput {
  words: string[]
  args?: string
}

/** Resolves the request: words after `--` are a command line; all others a tool with its params. */
async function resolveRequest(
  client: Client,
  context: CliContext,
  { words, args }: ExplainInput,
  { agent }: CallOptions
) {
  const { runtime, signal } = context
  const [tool, ...given] = words
  if (tool === undefined) throw usageError('Missing tool or command line.', 'See: toolgate explain --help')
  if (isCommandLine(runtime.argv, words)) return { tool: 'shell_exec', params: { command: toCommandLine(words) } }
  const { input } = await client.tool(tool, { signal, ...(agent !== undefined && { agent }) })
  return { tool, params: { ...(await readJsonParams(args, context)), ...parseParams(given, input) } }
}

/** A single word is used unchanged; several have lost their quotes to the shell, so they are quoted again. */
const toCommandLine = (words: readonly string[]) => (words.length === 1 ? words[0]! : quoteArgv(words))

const isCommandLine = (argv: readonly string[], words: readonly string[]) => {
  const at = argv.indexOf('--')
  return at !== -1 && argv.length - at - 1 === words.length
}

async function printExplanation(
  terminal: Terminal,
  { verdict, isolation, parts, precedence, hooks = [] }: Explanation
) {
  terminal.print(`${terminal.paint('bold', verdict.decision)}: ${escapeInvisible(verdict.reason)}`)
  if (isolation)
    terminal.print(`sandbox: ${isolation.level}${formatNetwork(isolation.network)}${formatPorts(isolation.ports)}`)
  if (parts.length > 0) {
    const rows = parts.map(part => [
      part.class,
      oneLine(part.text),
      oneLine(part.reason),
      formatOperands(part.operands)
    ])
    terminal.print(`\n${await terminal.formatTable(['CLASS', 'COMMAND', 'REASON', 'PATHS'], rows)}`)
  }
  const tierRows = precedence.map(({ tier, decision, reason = '' }) => [tier, decision ?? '-', oneLine(reason)])
  terminal.print(`\n${await terminal.formatTable(['TIER', 'DECISION', 'REASON'], tierRows)}`)
  for (const { when, name } of hooks) terminal.print(`hook ${when} the call: ${toSingleLine(name, 160)}`)
}

/** Names the narrowest rule that would let an asked call run, and what else the rule would have allowed. */
async function explainPermission(
  client: Client,
  { terminal, signal }: CliContext,
  { verdict: { decision, always_options } }: Explanation,
  { session_id, workspace }: CallOptions
) {
  if (decision !== 'ask' && decision !== 'strict') return
  const rule = findNarrowestOption(always_options)
  if (!rule) return terminal.print('\nNo rule that you can save would allow this call.')
  const scope = {
    ...(session_id !== undefined && { session_id }),
    ...(workspace !== undefined && { workspace }),
    signal
  }
  printNarrowestRule(terminal, rule, await testNarrowestRule(client, rule, scope))
}

const formatPorts = (ports: readonly number[] = []) => (ports.length === 0 ? '' : `, ports: ${ports.join(', ')}`)

const formatNetwork = (network: readonly string[]) =>
  network.length === 0 ? '' : `, network: ${toSingleLine(network.join(', '))}`

const formatOperands = (operands: Explanation['parts'][number]['operands']) =>
  oneLine(operands.map(({ path, access, outside }) => `${access} ${path}${outside ? ' (outside)' : ''}`).join(', '))
