import type { Call, Client } from '../../../client/client.ts'
import type { Context } from '../../context.ts'
import { CliError, EXIT, usage } from '../../exit.ts'
import type { Verb } from '../../run.ts'
import { type Preset, putToPerson } from '../../ui/approval-prompt.ts'
import type { Waiting } from '../../ui/call-watcher.ts'
import { alwaysText, approvalText, asChangedText, exitOf, whatBecame, whatCameOf } from '../../ui/format.ts'

interface Options {
  yes?: boolean
  digest?: string
  always?: string
  params?: string
  reason?: string
}

const approve: Verb = (command, context) => {
  command
    .description('Review waiting calls: shows a preview of each and asks for a decision. Only what was shown is run.')
    .argument('[id...]', 'id of the call (default: all waiting calls, oldest first)')
    .option('--yes', 'do not ask')
    .option('--digest <digest>', 'only if this is still the digest of the preview; does not ask')
    .option('--always <option>', 'also save this rule, by the id in the preview')
    .option('--params <json>', 'run with these parameters instead')
    .option('-m, --reason <text>', 'reason, for the audit log')
    .addHelpText(
      'after',
      `
Keys: y approve, n reject, a approve and save a rule, e edit the parameters, r reject with a reason, d show the diff in your
pager, ? help, q quit and leave the call waiting. Keys are ignored for half a second after the preview changes. Without a
terminal, use --digest or --yes.

Examples:
  toolgate approve
  toolgate approve tc_01J…
  toolgate approve tc_01J… --yes
  toolgate approve tc_01J… --digest 9f86d0…`
    )
    .action(async (ids: string[], options: Options) => {
      if (ids.length !== 1 && (options.digest ?? options.params ?? options.always) !== undefined)
        throw usage('--digest, --params and --always require exactly one id.')
      const asks = !options.yes && options.digest === undefined
      if (asks && (!context.mayAsk || context.terminal.json))
        throw usage(
          'Cannot prompt: standard input is not a terminal.',
          'Use --digest with the digest of the preview, or --yes.'
        )
      if (!asks && ids.length === 0) throw usage('Missing ids of calls.', 'See: toolgate approvals')
      const client = await context.connect()
      if (asks) await askAbout(context, client, ids, presetOf(options))
      else for (const id of ids) await approveOne(context, client, id, options)
    })
}
export default approve

/** One after the other; whoever quits is asked about none of the others. */
async function askAbout(context: Context, client: Client, ids: readonly string[], preset: Preset) {
  const { terminal, signal } = context
  const given = ids.length > 0 ? ids : (await client.approvals({ signal })).map(({ tool_call_id }) => tool_call_id)
  if (given.length === 0) return terminal.say('No calls are waiting for approval.')
  for (const [index, id] of given.entries()) {
    const call = await client.get(id, { signal })
    if (call.status !== 'awaiting_approval') {
      if (ids.length > 0) throw notWaiting(call)
      continue
    }
    if (given.length > 1) terminal.say(terminal.paint('gray', `\n${index + 1} of ${given.length}`))
    const outcome = await putToPerson(context, client, call, preset)
    if (outcome.did === 'left') return terminal.say('Still waiting for approval.')
    if (outcome.did === 'elsewhere') context.exitCode = EXIT.conflict
    else if (outcome.did === 'rejected') terminal.out(`${id} rejected`)
    else tellApproved(context, outcome.call)
  }
}

async function approveOne(context: Context, client: Client, id: string, options: Options): Promise<void> {
  const { terminal, signal } = context
  const call = await waitingCall(client, id, signal)
  if (!terminal.json) terminal.say(`${approvalText(terminal, call)}\n\n${alwaysText(terminal, call)}`)
  const digest = options.digest ?? call.approval.digest
  const preset = presetOf(options)
  const params = preset.modified_params as Record<string, unknown> | undefined
  const changed = params && (await wouldDo(context, client, call, params))
  const approved = await client.approve(id, { digest, confirm: true, signal, ...preset, ...changed })
  tellApproved(context, approved)
}

/** It may have failed at once, as where its file is gone. */
function tellApproved(context: Context, call: Call) {
  const { terminal } = context
  const exit = exitOf(call)
  if (exit !== EXIT.ok) context.exitCode = exit
  if (terminal.json) terminal.outJson(call)
  else terminal.out(`${call.tool_call_id} ${whatCameOf(call)}`)
}

/** What the call would do with these params: shown, and what the approval is bound to. */
async function wouldDo({ terminal, signal }: Context, client: Client, call: Waiting, params: Record<string, unknown>) {
  const { tool, session_id, workspace, agent } = call
  const options = { session_id, workspace, ...(agent !== undefined && { agent }), signal }
  const told = await client.dryRun(tool, params, options)
  if (!terminal.json) terminal.say(asChangedText(terminal, { tool, params, told }))
  return told.digest === undefined ? {} : { modified_digest: told.digest }
}

const presetOf = ({ always, reason, params }: Options): Preset => ({
  ...(always !== undefined && { always }),
  ...(reason !== undefined && { reason }),
  ...(params !== undefined && { modified_params: paramsOf(params) })
})

async function waitingCall(client: Client, id: string, signal: AbortSignal): Promise<Waiting> {
  const call = await client.get(id, { signal })
  if (call.status === 'awaiting_approval') return call
  throw notWaiting(call)
}

const notWaiting = (call: Call) =>
  new CliError(`${call.tool_call_id} is not waiting for approval: ${whatBecame(call)}.`, {
    exit: EXIT.conflict,
    code: 'CONFLICT'
  })

function paramsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw usage('Invalid --params: expected a JSON object.')
}
