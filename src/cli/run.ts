// From arguments to an exit code. A verb's file is loaded only when it is called, so that small verbs start fast.
import { type Command, CommanderError } from 'commander'
import { ToolgateError } from '../client/error.ts'
import { expandIds } from './abbreviated-ids.ts'
import { VerbCommand } from './cli-command.ts'
import { addGlobalFlags, addServerFlags, Context, type World } from './context.ts'
import { didYouMean, hinted } from './did-you-mean.ts'
import { EXIT, type Failure, failureOf, usage } from './exit.ts'

/** Adds arguments, options and the action to a verb's command. */
export type Verb = (command: Command, context: Context) => void

interface VerbEntry {
  /** None for what only programs ask for. */
  summary?: string
  load: () => Promise<{ default: Verb }>
  /** Speaks to a server that runs already. */
  asksServer: boolean
}

export const VERBS: Readonly<Record<string, VerbEntry>> = {
  init: {
    summary: "write the project's configuration; show how to connect editors",
    load: () => import('./commands/setup/init.ts'),
    asksServer: false
  },
  serve: {
    summary: 'start a server for one or more folders',
    load: () => import('./commands/server/serve.ts'),
    asksServer: false
  },
  status: {
    summary: 'show the running server and its activity',
    load: () => import('./commands/server/status.ts'),
    asksServer: true
  },
  stop: { summary: 'stop a server', load: () => import('./commands/server/stop.ts'), asksServer: true },
  tools: { summary: 'list tools, or show one', load: () => import('./commands/calls/tools.ts'), asksServer: true },
  call: {
    summary: 'call a tool and print its result',
    load: () => import('./commands/calls/call.ts'),
    asksServer: true
  },
  explain: {
    summary: 'show whether a call runs, asks or is denied, and why',
    load: () => import('./commands/calls/explain.ts'),
    asksServer: true
  },
  approvals: {
    summary: 'list calls that are waiting for approval',
    load: () => import('./commands/calls/approvals.ts'),
    asksServer: true
  },
  approve: {
    summary: 'review waiting calls and approve or reject them',
    load: () => import('./commands/calls/approve.ts'),
    asksServer: true
  },
  reject: { summary: 'reject waiting calls', load: () => import('./commands/calls/reject.ts'), asksServer: true },
  tail: { summary: 'follow events as they happen', load: () => import('./commands/calls/tail.ts'), asksServer: true },
  show: { summary: 'show the details of a call', load: () => import('./commands/calls/show.ts'), asksServer: true },
  undo: {
    summary: 'revert file changes made by a call',
    load: () => import('./commands/calls/undo.ts'),
    asksServer: true
  },
  background: {
    summary: 'move a running call to the background',
    load: () => import('./commands/calls/background.ts'),
    asksServer: true
  },
  jobs: { summary: 'list background jobs', load: () => import('./commands/calls/jobs.ts'), asksServer: true },
  logs: { summary: 'print the output of a command', load: () => import('./commands/server/logs.ts'), asksServer: true },
  input: {
    summary: 'send input to a background job',
    load: () => import('./commands/calls/input.ts'),
    asksServer: true
  },
  cancel: {
    summary: 'cancel calls and stop background jobs',
    load: () => import('./commands/calls/cancel.ts'),
    asksServer: true
  },
  audit: {
    summary: 'show who approved or rejected which calls, when and why',
    load: () => import('./commands/calls/audit.ts'),
    asksServer: true
  },
  api: {
    summary: 'send an authenticated HTTP request to the server',
    load: () => import('./commands/server/api.ts'),
    asksServer: true
  },
  doctor: {
    summary: 'check the installation and its dependencies',
    load: () => import('./commands/server/doctor.ts'),
    asksServer: true
  },
  config: {
    summary: 'show, change and validate the configuration',
    load: () => import('./commands/setup/config.ts'),
    asksServer: false
  },
  mcp: {
    summary: 'run an MCP server on standard input and output',
    load: () => import('./commands/setup/mcp.ts'),
    asksServer: true
  },
  rules: {
    summary: 'list, add and revoke saved rules',
    load: () => import('./commands/calls/rules.ts'),
    asksServer: true
  },
  open: { summary: 'open the web console', load: () => import('./commands/server/open.ts'), asksServer: true },
  token: {
    summary: 'create, list and revoke tokens',
    load: () => import('./commands/setup/token.ts'),
    asksServer: true
  },
  trust: {
    summary: "trust a repository's configuration (pinned by hash)",
    load: () => import('./commands/setup/trust.ts'),
    asksServer: false
  },
  tool: {
    summary: 'create and check custom tools',
    load: () => import('./commands/setup/tool.ts'),
    asksServer: true
  },
  completion: {
    summary: 'print a shell completion script',
    load: () => import('./commands/setup/completion.ts'),
    asksServer: false
  },
  complete: { load: () => import('./commands/setup/complete.ts'), asksServer: false },
  version: { summary: 'print the version', load: () => import('./commands/server/version.ts'), asksServer: false }
}

/** Flags with a value that may stand before the verb. */
export const VALUED: readonly string[] = ['--timeout', '--url', '--root']

export async function run(world: World): Promise<number> {
  const context = new Context(world)
  let command: Command | undefined
  try {
    const { name, rest } = isBareAtTerminal(world) ? BARE : split(world.argv)
    if (name === undefined) return help(context, rest)
    command = await commandOf(name, context)
    await command.parseAsync([...rest], { from: 'user' })
    return context.exitCode
  } catch (error) {
    return tell(error, context, command)
  }
}

/** Without arguments, a person at a terminal gets a server for the current folder, or the address of the one that runs. */
const BARE = { name: 'serve', rest: ['--reuse'] } as const
const isBareAtTerminal = ({ argv, stdin, stdout, stderr }: World): boolean =>
  argv.length === 0 && Boolean(stdin.isTTY && stdout.isTTY && stderr.isTTY)

/** The names of the verbs that are for people. */
export const verbNames = () => Object.keys(VERBS).filter(name => VERBS[name]!.summary !== undefined)

/** The command as its verb declares it, ready to be parsed. */
export async function commandOf(name: string, context: Context): Promise<Command> {
  const entry = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (!entry) throw usage(`Unknown command: ${name}.`, hinted(didYouMean(name, verbNames()), 'See: toolgate --help'))
  const { stdout } = context.world
  const command = new VerbCommand(`toolgate ${name}`)
    .exitOverride()
    .configureOutput({ writeOut: text => void stdout.write(text), writeErr: () => {} })
    .helpCommand(false)
    .hook('preAction', async (_, action) => {
      context.begin(action)
      if (entry.asksServer) await expandIds(action, context)
    })
  if (entry.summary !== undefined) command.summary(entry.summary)
  addGlobalFlags(command)
  if (entry.asksServer) addServerFlags(command)
  const { default: verb } = await entry.load()
  verb(command, context)
  return command
}

/** The verb is the first word that is neither a flag nor a flag's value; flags before it are the verb's. `help` asks a verb
 * for its help. */
function split(argv: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  let at = 0
  while (argv[at]?.startsWith('-')) at += VALUED.includes(argv[at]!) ? 2 : 1
  if (argv[at] === 'help') return split([...argv.slice(0, at), ...argv.slice(at + 1), '--help'])
  return { name: argv[at], rest: [...argv.slice(0, at), ...argv.slice(at + 1)] }
}

function help({ world, version }: Context, flags: readonly string[]): number {
  if (flags.includes('--version')) {
    world.stdout.write(`toolgate ${version}\n`)
    return EXIT.ok
  }
  for (const flag of flags.filter(word => word.startsWith('-'))) mustBeFlag(flag)
  const names = verbNames()
  const width = Math.max(...names.map(name => name.length))
  const verbs = names.map(name => `  ${name.padEnd(width)}  ${VERBS[name]!.summary}`)
  world.stdout.write(`${[USAGE, 'Commands:', ...verbs, '', EXITS].join('\n')}\n`)
  return flags.length === 0 || flags.some(flag => flag === '--help' || flag === '-h') ? EXIT.ok : EXIT.usage
}

function mustBeFlag(flag: string) {
  const [name = '', ...value] = flag.split('=')
  if (!FLAGS.includes(name))
    throw usage(`Unknown option: ${flag}.`, hinted(didYouMean(name, FLAGS), 'See: toolgate --help'))
  if (value.length > 0 && !VALUED.includes(name))
    throw usage(`Option ${name} does not take a value.`, 'See: toolgate --help')
}

/** What may stand where no verb does. */
const FLAGS: readonly string[] = [
  '--help',
  '-h',
  '--version',
  '--json',
  '--quiet',
  '--no-color',
  '--no-input',
  ...VALUED
]

const USAGE = `Toolgate runs tool calls for editors and agents, and asks for approval before risky ones.

Usage: toolgate <command> [options]
       toolgate <command> --help

Commands use the server of the current folder; --root <folder> selects another.

Examples:
  toolgate                               serve the current folder, at a terminal
  toolgate serve --root ~/my/project
  toolgate call read_file path=README.md
  toolgate approvals
  toolgate tail
`
const EXITS = `Exit codes: 0 success, 1 the tool or the server failed, 2 invalid usage or
configuration, 3 no server, 4 token missing or lacks permission, 5 rejected or
denied, 6 conflict or already running, 7 approval expired, 124 timed out,
130 interrupted, 141 broken pipe (SIGPIPE).`

/** One line: the cause, then the cure. */
async function tell(error: unknown, context: Context, command: Command | undefined): Promise<number> {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok
  const failure = failureOf(error)
  if (!failure) throw error
  const { exit, code, message, request_id } = failure
  const { terminal } = context
  const hint = failure.hint ?? inLog(failure) ?? (await cured(error, context, command))
  const told = { code, message, ...(hint && { hint }), ...(request_id && { request_id }) }
  if (terminal.json) terminal.fail(JSON.stringify({ error: told }))
  else terminal.fail(`toolgate: ${message}${hint ? ` ${hint}` : ''}`)
  return exit
}

async function cured(error: unknown, context: Context, command: Command | undefined) {
  if (!(error instanceof ToolgateError) || command === undefined) return undefined
  const { cureOf } = await import('./hints.ts')
  return cureOf(error, command, path => context.askQuickly(path))
}

/** Only the log knows more of a fault of the server. */
const inLog = ({ code, request_id }: Failure) =>
  code === 'INTERNAL' && request_id ? `Look for ${request_id} in it.` : undefined
