import { type Call, type Client, ToolgateError } from '../client/client.ts'
import type { Context } from './context.ts'
import { CliError, EXIT, usage } from './exit.ts'
import type { Verb } from './run.ts'
import { approvalText } from './words.ts'

interface Options {
  yes?: boolean
  digest?: string
  always?: string
  params?: string
  reason?: string
}
type Waiting = Extract<Call, { status: 'awaiting_approval' }>

const approve: Verb = (command, context) => {
  command
    .description('Let waiting calls run: shows what each would do, and asks. What runs is what was shown.')
    .argument('<id...>', 'tool_call_id')
    .option('--yes', 'do not ask')
    .option('--digest <digest>', 'only if this is still what would happen; does not ask')
    .option('--always <option>', 'also remember this rule, by the id that is shown')
    .option('--params <json>', 'run with these params instead')
    .option('-m, --reason <text>', 'why, for the log')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate approve tc_01J…\n  toolgate approve tc_01J… --yes\n  toolgate approve tc_01J… --digest 9f86d0…'
    )
    .action(async (ids: string[], options: Options) => {
      if (ids.length > 1 && (options.digest ?? options.params ?? options.always) !== undefined)
        throw usage('--digest, --params and --always are for one call.')
      if (!context.mayAsk && !options.yes && options.digest === undefined)
        throw usage('Nobody can be asked here.', 'Give --digest with what you were shown, or --yes.')
      const client = await context.connect()
      for (const id of ids) await approveOne(context, client, id, options)
    })
}
export default approve

/** Shows and asks again when what was shown is no longer what would happen. */
async function approveOne(context: Context, client: Client, id: string, options: Options): Promise<void> {
  const { terminal, signal } = context
  const call = await waitingCall(client, id, signal)
  if (!terminal.json) terminal.say(approvalText(terminal, call))
  if (!options.yes && options.digest === undefined && !/^y(es)?$/i.test(await context.ask('Approve? [y/N] ')))
    return terminal.say('Left waiting.')
  try {
    const approved = await client.approve(id, {
      digest: options.digest ?? call.approval.digest,
      confirm: true,
      signal,
      ...(options.always !== undefined && { always: options.always }),
      ...(options.reason !== undefined && { reason: options.reason }),
      ...(options.params !== undefined && { modified_params: paramsOf(options.params) })
    })
    if (terminal.json) terminal.outJson(approved)
    else terminal.out(`${id} approved`)
  } catch (error) {
    if (!(error instanceof ToolgateError) || error.code !== 'PREVIEW_CHANGED' || !context.mayAsk) throw error
    terminal.say('What would happen has changed since:')
    return approveOne(context, client, id, { ...options, yes: false })
  }
}

async function waitingCall(client: Client, id: string, signal: AbortSignal): Promise<Waiting> {
  const call = await client.get(id, { signal })
  if (call.status === 'awaiting_approval') return call
  throw new CliError(`${id} waits for no decision: its status is ${call.status}${decidedBy(call)}.`, {
    exit: EXIT.conflict,
    code: 'CONFLICT'
  })
}

function decidedBy(call: Call): string {
  const by = 'approved_by' in call ? call.approved_by : undefined
  return by ? `, approved by ${by.client ?? by.source} at ${by.at}` : ''
}

function paramsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw usage('--params must be a JSON object.')
}
