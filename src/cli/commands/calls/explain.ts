import type { CallOptions, Client, Explanation } from '../../../client/client.ts'
import type { Context } from '../../context.ts'
import { EXIT, usage } from '../../exit.ts'
import { ARGS, paramsFrom, paramsIn } from '../../params.ts'
import type { Verb } from '../../run.ts'
import { brief, oneLine, safe, type Terminal } from '../../ui/terminal.ts'

interface Options {
  args?: string
  session?: string
  workspace?: string
  agent?: string
}

const explain: Verb = (command, context) => {
  command
    .usage('[options] <tool> [name=value...]\n       toolgate explain [options] -- <command...>')
    .description('Show whether a call or a command line would run, ask or be denied, and why. Runs nothing.')
    .argument('[tool]', 'name of the tool')
    .argument('[params...]', 'parameters as name=value; after --, a command line: quote it to keep its own quotes')
    .option(...ARGS)
    .option('--session <id>', 'session of the call')
    .option('--workspace <name>', 'workspace to use, if several are served')
    .option('--agent <name>', 'name of the agent')
    .addHelpText(
      'after',
      "\nExamples:\n  toolgate explain -- npm test\n  toolgate explain -- 'git log | head'\n  toolgate explain write_file path=a.txt content=b"
    )
    .action(async (_tool: string | undefined, _params: string[], options: Options) => {
      const client = await context.connect()
      const { args, session, workspace, agent } = options
      const asked: CallOptions = {
        signal: context.signal,
        ...(session !== undefined && { session_id: session }),
        ...(workspace !== undefined && { workspace }),
        ...(agent !== undefined && { agent })
      }
      const { tool, params } = await meant(
        client,
        context,
        { words: command.args, ...(args !== undefined && { args }) },
        asked
      )
      const told = await client.explain(tool, params, asked)
      context.exitCode = told.verdict.decision === 'deny' ? EXIT.rejected : EXIT.ok
      if (context.terminal.json) context.terminal.outJson(told)
      else tell(context.terminal, told)
    })
}
export default explain

interface Given {
  words: string[]
  args?: string
}

/** Words after `--` are a command line; all others a tool with its params. */
async function meant(client: Client, context: Context, { words, args }: Given, { agent }: CallOptions) {
  const { world, signal } = context
  const [tool, ...given] = words
  if (tool === undefined) throw usage('Missing tool or command line.', 'See: toolgate explain --help')
  if (isLine(world.argv, words)) return { tool: 'shell_exec', params: { command: lineOf(words) } }
  const { input } = await client.tool(tool, { signal, ...(agent !== undefined && { agent }) })
  return { tool, params: { ...(await paramsIn(args, context)), ...paramsFrom(given, input) } }
}

/** One word is a line as it is; several are what a shell has taken the quotes off. */
const lineOf = (words: readonly string[]) => (words.length === 1 ? words[0]! : words.map(quoted).join(' '))

const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

const isLine = (argv: readonly string[], words: readonly string[]) => {
  const at = argv.indexOf('--')
  return at !== -1 && argv.length - at - 1 === words.length
}

function tell(terminal: Terminal, { verdict, isolation, parts, precedence, hooks = [] }: Explanation) {
  terminal.out(`${terminal.paint('bold', verdict.decision)}: ${safe(verdict.reason)}`)
  if (isolation) terminal.out(`sandbox: ${isolation.level}${reach(isolation.network)}`)
  if (parts.length > 0) {
    const rows = parts.map(part => [part.class, oneLine(part.text), oneLine(part.reason), touched(part.operands)])
    terminal.out(`\n${terminal.formatTable(['CLASS', 'COMMAND', 'REASON', 'PATHS'], rows)}`)
  }
  const said = precedence.map(({ tier, decision, reason = '' }) => [tier, decision ?? '-', oneLine(reason)])
  terminal.out(`\n${terminal.formatTable(['TIER', 'DECISION', 'REASON'], said)}`)
  for (const { when, name } of hooks) terminal.out(`hook ${when} the call: ${brief(name, 160)}`)
  for (const { label } of verdict.always_options) terminal.out(`can be saved as a rule: ${brief(label, 160)}`)
}

const reach = (network: readonly string[]) => (network.length === 0 ? '' : `, network: ${brief(network.join(', '))}`)

const touched = (operands: Explanation['parts'][number]['operands']) =>
  oneLine(operands.map(({ path, access, outside }) => `${access} ${path}${outside ? ' (outside)' : ''}`).join(', '))
