// Runs the CLI: from arguments to an exit code. A command's module is loaded only when it is used, so that small commands start
// fast.
import { type Command, CommanderError } from 'commander'
import { ToolgateError } from '../client/error.ts'
import { expandIds } from './abbreviated-ids.ts'
import { CliCommand } from './cli-command.ts'
import type { CommandCatalog, CommandSetup } from './command-setup.ts'
import { addGlobalFlags, addServerFlags, CliContext, type CliRuntime } from './context.ts'
import { didYouMean, joinHints } from './did-you-mean.ts'
import { type CliFailure, EXIT, toCliFailure, usageError } from './exit.ts'

interface CommandEntry {
  /** Absent for commands that only programs use. */
  summary?: string
  load: () => Promise<{ default: CommandSetup }>
  /** Requires a running server. */
  needsServer: boolean
}

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  init: {
    summary: "write the project's configuration; show how to connect editors",
    load: () => import('./commands/setup/init.ts'),
    needsServer: false
  },
  setup: {
    summary: 'connect an agent: its MCP server and its own tools',
    load: () => import('./commands/setup/setup.ts'),
    needsServer: false
  },
  serve: {
    summary: 'start a server for one or more folders',
    load: () => import('./commands/server/serve.ts'),
    needsServer: false
  },
  status: {
    summary: 'show the running server and its activity',
    load: () => import('./commands/server/status.ts'),
    needsServer: true
  },
  stop: { summary: 'stop a server', load: () => import('./commands/server/stop.ts'), needsServer: true },
  tools: { summary: 'list tools, or show one', load: () => import('./commands/calls/tools.ts'), needsServer: true },
  call: {
    summary: 'call a tool and print its result',
    load: () => import('./commands/calls/call.ts'),
    needsServer: true
  },
  explain: {
    summary: 'explain whether a call runs, needs approval or is denied',
    load: () => import('./commands/calls/explain.ts'),
    needsServer: true
  },
  approvals: {
    summary: 'list calls that are waiting for approval',
    load: () => import('./commands/calls/approvals.ts'),
    needsServer: true
  },
  approve: {
    summary: 'review waiting calls and approve or reject them',
    load: () => import('./commands/calls/approve.ts'),
    needsServer: true
  },
  reject: { summary: 'reject waiting calls', load: () => import('./commands/calls/reject.ts'), needsServer: true },
  tail: { summary: 'follow events as they happen', load: () => import('./commands/calls/tail.ts'), needsServer: true },
  show: { summary: 'show the details of a call', load: () => import('./commands/calls/show.ts'), needsServer: true },
  changes: {
    summary: 'show what a session changed, as one diff per file',
    load: () => import('./commands/calls/changes.ts'),
    needsServer: true
  },
  undo: {
    summary: 'revert file changes made by a call',
    load: () => import('./commands/calls/undo.ts'),
    needsServer: true
  },
  background: {
    summary: 'move a running call to the background',
    load: () => import('./commands/calls/background.ts'),
    needsServer: true
  },
  jobs: { summary: 'list background jobs', load: () => import('./commands/calls/jobs.ts'), needsServer: true },
  logs: {
    summary: 'print the output of a command',
    load: () => import('./commands/server/logs.ts'),
    needsServer: true
  },
  input: {
    summary: 'send input to a background job',
    load: () => import('./commands/calls/input.ts'),
    needsServer: true
  },
  cancel: {
    summary: 'cancel calls and stop background jobs',
    load: () => import('./commands/calls/cancel.ts'),
    needsServer: true
  },
  purge: {
    summary: 'remove the content of a finished call',
    load: () => import('./commands/calls/purge.ts'),
    needsServer: true
  },
  audit: {
    summary: 'show who approved or rejected which calls, when and why',
    load: () => import('./commands/calls/audit.ts'),
    needsServer: true
  },
  api: {
    summary: 'send an authenticated HTTP request to the server',
    load: () => import('./commands/server/api.ts'),
    needsServer: true
  },
  doctor: {
    summary: 'check the installation and its dependencies',
    load: () => import('./commands/server/doctor.ts'),
    needsServer: true
  },
  notify: {
    summary: 'list and test the channels that notify people',
    load: () => import('./commands/server/notify.ts'),
    needsServer: true
  },
  hub: {
    summary: 'start a hub for many servers, or enroll a server',
    load: () => import('./commands/hub/hub.ts'),
    needsServer: false
  },
  journal: {
    summary: 'check or repair the journal',
    load: () => import('./commands/server/journal.ts'),
    needsServer: false
  },
  config: {
    summary: 'show, change and validate the configuration',
    load: () => import('./commands/setup/config.ts'),
    needsServer: false
  },
  acp: {
    summary: 'run an agent of the Agent Client Protocol for an editor',
    load: () => import('./commands/setup/acp.ts'),
    needsServer: true
  },
  'agent-hook': {
    summary: 'decide on a tool call that an agent reports to a hook',
    load: () => import('./commands/setup/agent-hook.ts'),
    needsServer: true
  },
  mcp: {
    summary: 'run an MCP server on standard input and output',
    load: () => import('./commands/setup/mcp.ts'),
    needsServer: true
  },
  mode: {
    summary: 'show or set the mode of a session (which calls run without approval)',
    load: () => import('./commands/calls/mode.ts'),
    needsServer: true
  },
  shells: {
    summary: 'list and reset the named shells of a session',
    load: () => import('./commands/calls/shells.ts'),
    needsServer: true
  },
  rules: {
    summary: 'list, add and revoke saved rules',
    load: () => import('./commands/calls/rules.ts'),
    needsServer: true
  },
  grant: {
    summary: 'allow calls in advance, for a limited time or number of uses',
    load: () => import('./commands/calls/grant.ts'),
    needsServer: true
  },
  open: { summary: 'open the web console', load: () => import('./commands/server/open.ts'), needsServer: true },
  token: {
    summary: 'create, list and revoke tokens',
    load: () => import('./commands/setup/token.ts'),
    needsServer: true
  },
  trust: {
    summary: "trust a repository's configuration (pinned by hash)",
    load: () => import('./commands/setup/trust.ts'),
    needsServer: false
  },
  tool: {
    summary: 'create and check custom tools',
    load: () => import('./commands/setup/tool.ts'),
    needsServer: true
  },
  completion: {
    summary: 'print a shell completion script',
    load: () => import('./commands/setup/completion.ts'),
    needsServer: false
  },
  complete: { load: () => import('./commands/setup/complete.ts'), needsServer: false },
  version: { summary: 'print the version', load: () => import('./commands/server/version.ts'), needsServer: false }
}

/** Flags with a value that may precede the command. */
const VALUE_OPTIONS: readonly string[] = ['--timeout', '--url', '--root']

export async function runCli(world: CliRuntime): Promise<number> {
  const context = new CliContext(world)
  let command: Command | undefined
  try {
    const { name, rest } = isBareAtTerminal(world) ? BARE : splitArgs(world.argv)
    if (name === undefined) return printHelp(context, rest)
    command = await createCommand(name, context)
    await command.parseAsync([...rest], { from: 'user' })
    return context.exitCode
  } catch (error) {
    return reportError(error, context, command)
  }
}

/** Default command: at a terminal, starts a server for the current folder, or prints the address of the running one. */
const BARE = { name: 'serve', rest: ['--reuse'] } as const
const isBareAtTerminal = ({ argv, stdin, stdout, stderr }: CliRuntime): boolean =>
  argv.length === 0 && Boolean(stdin.isTTY && stdout.isTTY && stderr.isTTY)

/** Returns the names of the public commands. */
export const commandNames = () => Object.keys(COMMANDS).filter(name => COMMANDS[name]!.summary !== undefined)

/** Creates the command as declared, ready for parsing. */
export async function createCommand(name: string, context: CliContext): Promise<Command> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!entry)
    throw usageError(`Unknown command: ${name}.`, joinHints(didYouMean(name, commandNames()), 'See: toolgate --help'))
  const { stdout } = context.runtime
  const command = new CliCommand(`toolgate ${name}`)
    .exitOverride()
    .configureOutput({ writeOut: text => void stdout.write(text), writeErr: () => {} })
    .helpCommand(false)
    .hook('preAction', async (_, action) => {
      context.applyFlags(action)
      if (entry.needsServer) await expandIds(action, context)
    })
  if (entry.summary !== undefined) command.summary(entry.summary)
  addGlobalFlags(command)
  if (entry.needsServer) addServerFlags(command)
  const { default: setUp } = await entry.load()
  setUp(command, context, CATALOG)
  return command
}

const CATALOG: CommandCatalog = {
  list: () => commandNames().map(name => ({ name, summary: COMMANDS[name]!.summary! })),
  create: createCommand,
  valueOptions: VALUE_OPTIONS
}

/**
 * Splits arguments: the command is the first word that is neither a flag nor a flag's value; flags before it belong to it. `help`
 * before a command prints its help.
 */
function splitArgs(argv: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  let at = 0
  while (argv[at]?.startsWith('-')) at += VALUE_OPTIONS.includes(argv[at]!) ? 2 : 1
  if (argv[at] === 'help') return splitArgs([...argv.slice(0, at), ...argv.slice(at + 1), '--help'])
  return { name: argv[at], rest: [...argv.slice(0, at), ...argv.slice(at + 1)] }
}

function printHelp({ runtime, version }: CliContext, flags: readonly string[]): number {
  if (flags.includes('--version')) {
    runtime.stdout.write(`toolgate ${version}\n`)
    return EXIT.ok
  }
  for (const flag of flags.filter(word => word.startsWith('-'))) assertKnownFlag(flag)
  const names = commandNames()
  const width = Math.max(...names.map(name => name.length))
  const verbs = names.map(name => `  ${name.padEnd(width)}  ${COMMANDS[name]!.summary}`)
  runtime.stdout.write(`${[USAGE, 'Commands:', ...verbs, '', EXIT_CODES_HELP].join('\n')}\n`)
  return flags.length === 0 || flags.some(flag => flag === '--help' || flag === '-h') ? EXIT.ok : EXIT.usage
}

function assertKnownFlag(flag: string) {
  const [name = '', ...value] = flag.split('=')
  if (!GLOBAL_FLAGS.includes(name))
    throw usageError(`Unknown option: ${flag}.`, joinHints(didYouMean(name, GLOBAL_FLAGS), 'See: toolgate --help'))
  if (value.length > 0 && !VALUE_OPTIONS.includes(name))
    throw usageError(`Option ${name} does not take a value.`, 'See: toolgate --help')
}

/** Flags that may be used without a command. */
const GLOBAL_FLAGS: readonly string[] = [
  '--help',
  '-h',
  '--version',
  '--json',
  '--quiet',
  '--no-color',
  '--no-input',
  ...VALUE_OPTIONS
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
const EXIT_CODES_HELP = `Exit codes: 0 success, 1 the tool or the server failed, 2 invalid usage or
configuration, 3 no server, 4 token missing or without permission, 5 rejected or
denied, 6 conflict or already running, 7 approval expired, 124 timed out,
130 interrupted, 141 broken pipe (SIGPIPE).`

/** Reports an error on one line: the cause, then the resolution. */
async function reportError(error: unknown, context: CliContext, command: Command | undefined): Promise<number> {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok
  const failure = toCliFailure(error)
  if (!failure) throw error
  const { exit, code, message, request_id } = failure
  const { terminal } = context
  const hint = failure.hint ?? formatLogHint(failure) ?? (await findHint(error, context, command))
  const report = { code, message, ...(hint && { hint }), ...(request_id && { request_id }) }
  if (terminal.json) terminal.error(JSON.stringify({ error: report }))
  else terminal.error(`toolgate: ${message}${hint ? ` ${hint}` : ''}`)
  return exit
}

async function findHint(error: unknown, context: CliContext, command: Command | undefined) {
  if (!(error instanceof ToolgateError) || command === undefined) return undefined
  const { hintForError } = await import('./hints.ts')
  return hintForError(error, command, path => context.getJson(path))
}

/** Refers to the log for an internal error of the server. */
const formatLogHint = ({ code, request_id }: CliFailure) =>
  code === 'INTERNAL' && request_id ? `Search the log for ${request_id}.` : undefined
