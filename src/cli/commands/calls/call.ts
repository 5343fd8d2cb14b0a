import { type Call, type CallOptions, type Client, type Event, ToolgateError } from '../../../client/client.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { hasEnded } from '../../ended-call.ts'
import { EXIT, usageError } from '../../exit.ts'
import { ARGS_OPTION, parseParams, readJsonParams } from '../../params.ts'
import { withReconnect } from '../../reconnect.ts'
import { exitCodeFor, formatApprovalResult, formatFollowHint, formatReason, hasBackgroundJob } from '../../ui/format.ts'
import { colorizeDiff, toSingleLine } from '../../ui/terminal.ts'

interface Options {
  args?: string
  dryRun?: boolean
  wait: boolean
  session?: string
  workspace?: string
  agent?: string
  toolset?: string
  context?: string
  callTimeout?: string
  fresh?: boolean
}

const call: CommandSetup = (command, context) => {
  command
    .description(
      'Call a tool and print its result. If the call needs approval, you are asked in the terminal. Ctrl+C cancels the call.'
    )
    .argument('<tool>', 'name of the tool (see: toolgate tools)')
    .argument('[params...]', 'parameters as name=value, parsed by the type in the schema of the tool')
    .option(...ARGS_OPTION)
    .option('--dry-run', 'show the effect of the call, and change nothing')
    .option('--no-wait', 'print the id of the call, and do not wait for the result')
    .option('--session <id>', 'session of the call')
    .option('--workspace <name>', 'workspace of the call, if several are served')
    .option('--agent <name>', 'name of the agent')
    .option('--toolset <name>', 'toolset that defines the name and parameters of the tool')
    .option('--context <text>', 'purpose of the call, which the approver sees')
    .option('--call-timeout <ms>', 'time limit of the call in milliseconds')
    .option('--fresh', 'do not use cached results')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate call read_file path=README.md\n  toolgate call shell_exec command="npm test"\n  echo \'{"path":"a","content":"b"}\' | toolgate call write_file --args -'
    )
    .action(async (tool: string, given: string[], options: Options) => {
      const client = await context.connect()
      const { signal } = context
      const base = await readJsonParams(options.args, context)
      const { agent, toolset } = options
      const { input } = await client.tool(tool, { signal, ...(agent && { agent }), ...(toolset && { toolset }) })
      const params = { ...base, ...parseParams(given, input) }
      const callOptions = toCallOptions(options)
      if (options.dryRun) return printDryRun(context, client, tool, params, callOptions)
      if (!options.wait) return submit(context, client, tool, params, callOptions)
      const ended = await follow(context, client, tool, params, callOptions)
      printResult(context, ended)
    })
}
export default call

function toCallOptions(options: Options): CallOptions {
  const { session, workspace, agent, toolset, context, callTimeout, fresh } = options
  if (callTimeout !== undefined && !/^[1-9]\d*$/.test(callTimeout))
    throw usageError('Invalid --call-timeout: expected milliseconds.')
  return {
    ...(session !== undefined && { session_id: session }),
    ...(workspace !== undefined && { workspace }),
    ...(agent !== undefined && { agent }),
    ...(toolset !== undefined && { toolset }),
    ...(context !== undefined && { context }),
    ...(callTimeout !== undefined && { timeout_ms: Number(callTimeout) }),
    ...(fresh && { fresh })
  }
}

async function submit(context: CliContext, client: Client, tool: string, params: Params, options: CallOptions) {
  const { terminal, signal } = context
  const made = await client.call(tool, params, { ...options, background: true, wait_ms: 0, signal })
  if (terminal.json) terminal.printJson(made)
  else terminal.print(made.tool_call_id)
}
type Params = Record<string, unknown>

async function printDryRun(context: CliContext, client: Client, tool: string, params: Params, options: CallOptions) {
  const { terminal, signal } = context
  const dryRun = await client.dryRun(tool, params, { ...options, signal })
  context.exitCode = dryRun.verdict.decision === 'deny' ? EXIT.rejected : EXIT.ok
  if (terminal.json) return terminal.printJson(dryRun)
  terminal.print(`${dryRun.verdict.decision}: ${escapeInvisible(dryRun.verdict.reason)}`)
  if (dryRun.preview?.text) terminal.print(escapeInvisible(dryRun.preview.text))
  if (dryRun.preview?.diff) terminal.print(colorizeDiff(terminal, dryRun.preview.diff.trimEnd()))
}

/** Submits a call, prints its events and waits for its end. */
async function follow(
  context: CliContext,
  client: Client,
  tool: string,
  params: Params,
  options: CallOptions
): Promise<Call> {
  const { terminal } = context
  context.handleInterrupt()
  const { signal } = context
  let id: string | undefined
  try {
    for await (const event of client.stream(tool, params, { ...options, signal })) {
      id ??= event.tool_call_id
      if (needsPrompt(context, event) && (await canApprove(context, client))) {
        const left = await askInPlace(context, client, event.tool_call_id)
        if (left) return left
      } else reportEvent(context, event)
    }
  } catch (error) {
    if (id === undefined) throw error
    // An interrupt at the prompt comes from the terminal, not as a signal.
    const reason = signal.aborted ? signal.reason : error
    if (signal.aborted || (error as Error).name === 'AbortError') return await abandonCall(client, id, reason, context)
  }
  if (id === undefined)
    throw new ToolgateError('The event stream ended before the call began.', { code: 'BAD_ANSWER', status: 200 })
  try {
    return await waitUntilSettled(context, client, id)
  } catch (error) {
    if (signal.aborted) return await abandonCall(client, id, signal.reason, context)
    throw error
  } finally {
    terminal.progress('')
  }
}

type SubmittedEvent = Extract<Event, { type: 'tool.call' }>

/** Returns true if the call waits for a decision that this terminal can prompt for. */
const needsPrompt = (
  { canPrompt, terminal }: CliContext,
  event: Event
): event is SubmittedEvent & { tool_call_id: string } =>
  // With approvals, it was approved here, and waits for others.
  event.type === 'tool.call' && event.requires_approval && !event.approval?.approvals && canPrompt && !terminal.json

/** Returns true if the token has the right to approve, which listing tokens also requires. */
const canApprove = ({ signal }: CliContext, client: Client): Promise<boolean> =>
  client.tokens({ signal }).then(
    () => true,
    () => false
  )

/** Prompts for the call, like `toolgate approve`. Returns it if it keeps waiting. */
async function askInPlace(context: CliContext, client: Client, id: string): Promise<Call | undefined> {
  const { signal, terminal } = context
  const call = await client.get(id, { signal })
  if (call.status !== 'awaiting_approval') return undefined
  const { promptForApproval } = await import('../../ui/approval-prompt.ts')
  const outcome = await promptForApproval(context, client, call, {})
  if (outcome.kind === 'approved' && outcome.call.status === 'awaiting_approval')
    terminal.info(formatApprovalResult(outcome.call))
  if (outcome.kind !== 'left') return undefined
  terminal.info(`The call still waits for approval. To decide later: toolgate approve ${id}`)
  return client.get(id, { signal })
}

/** Cancels the call on an interrupt; leaves it running after a timeout, for later inspection. */
async function abandonCall(client: Client, id: string, reason: unknown, { terminal }: CliContext): Promise<never> {
  if ((reason as Error).name === 'AbortError')
    await client.cancel(id, { reason: 'Interrupted by Ctrl+C in the terminal.' })
  else terminal.info(`The call is still running. To see its result: toolgate show ${id}`)
  throw reason
}

/** Returns the ended call, even if the server was unreachable in the meantime. */
async function waitUntilSettled(context: CliContext, client: Client, id: string): Promise<Call> {
  const { signal } = context
  for (;;) {
    const call = await withReconnect(context, client, each => each.get(id, { wait_ms: MAX_WAIT_MS, signal }))
    if (hasEnded(call)) return call
  }
}
const MAX_WAIT_MS = 30_000

function reportEvent({ terminal }: CliContext, event: Event) {
  if (event.type === 'tool.call' && event.requires_approval)
    terminal.info(`The call waits for approval. To decide: toolgate approve ${event.tool_call_id}`)
  if (event.type !== 'tool.progress' || !terminal.isInteractive) return
  if (event.delta) terminal.writeInfo(escapeInvisible(event.delta.text))
  else terminal.progress(formatProgress(event))
}

function formatProgress({ message = '', progress }: Extract<Event, { type: 'tool.progress' }>) {
  const share = progress === undefined ? '' : `${Math.round(progress * 100)} %`
  return [share, toSingleLine(message, 70)].filter(Boolean).join('  ')
}

function printResult(context: CliContext, ended: Call) {
  const { terminal } = context
  context.exitCode = exitCodeFor(ended)
  if (terminal.json) return terminal.printJson(ended)
  if (ended.status === 'success') {
    terminal.print(escapeInvisible(ended.result.content))
    if (hasBackgroundJob(ended)) terminal.info(formatFollowHint(ended.tool_call_id))
    return
  }
  if (!hasEnded(ended)) return
  terminal.error(`toolgate: ${ended.tool} ${ended.status}: ${escapeInvisible(formatReason(ended))}`)
}
