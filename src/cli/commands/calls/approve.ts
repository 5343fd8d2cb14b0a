import type { DecisionOutcome } from '../../../client/api-types.ts'
import type { Call, Client } from '../../../client/client.ts'
import { type ApprovalGroup, findGroupCalls, groupApprovals } from '../../../protocol/approval-groups.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { parseObject } from '../../../text/json-object.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT, usageError } from '../../exit.ts'
import { type EndOptions, toEnds } from '../../rules/rule-ends.ts'
import type { ApprovalPreset } from '../../ui/approval-prompt.ts'
import type { PendingCall } from '../../ui/call-watcher.ts'
import {
  exitCodeFor,
  formatApproval,
  formatApprovalResult,
  formatDecision,
  formatEditedCall,
  formatRuleOptions
} from '../../ui/format.ts'
import { loadWholePreview } from '../../ui/whole-preview.ts'

interface Options extends EndOptions {
  group?: string
  onlySession?: true
  yes?: boolean
  digest?: string
  always?: string
  params?: string
  reason?: string
}

const approve: CommandSetup = (command, context) => {
  command
    .description(
      'Review waiting calls. Shows the preview of each call and asks for a decision. Only what the preview shows is run.'
    )
    .argument('[id...]', 'id of the call (default: all waiting calls, oldest first)')
    .option('--group <key>', 'review the calls of a group together, and decide once')
    .option('--yes', 'approve without asking')
    .option('--digest <digest>', 'approve without asking, only if the preview still has this digest')
    .option('--always <option>', 'also save the rule with this id, which the preview lists')
    .option('--for <duration>', 'with --always: lifetime of the rule, such as 30m, 2h or 7d')
    .option('--uses <number>', 'with --always: number of calls that the rule allows before it ends')
    .option('--only-session', 'with --always: save the rule only for the session of the call')
    .option('--params <json>', 'run the call with these parameters instead')
    .option('-m, --reason <text>', 'reason for the audit log')
    .addHelpText(
      'after',
      `
Keys: space next page, y approve, n reject, a approve and save a rule, e edit the parameters, r reject with a reason, d show the
diff in your pager, ? help, q quit and leave the call waiting. A preview that is longer than the screen is shown page by page,
and can be approved after its last page. Keys are ignored for half a second after the preview changes. Without a
terminal, use --digest or --yes.

Calls that wait for the same reason form a group. Without ids, each group is shown at once: y approves and n rejects all of its
calls, o shows them one by one. A call whose preview has changed since is not approved.

Examples:
  toolgate approve
  toolgate approve --group 3f9a…
  toolgate approve tc_01J…
  toolgate approve tc_01J… --yes
  toolgate approve tc_01J… --digest 9f86d0…`
    )
    .action(async (ids: string[], options: Options) => {
      if (ids.length !== 1 && (options.digest ?? options.params ?? options.always) !== undefined)
        throw usageError('--digest, --params and --always require exactly one id.')
      if (options.group !== undefined && ids.length > 0) throw usageError('Use either ids or --group.')
      const prompts = !options.yes && options.digest === undefined
      if (prompts && (!context.canPrompt || context.terminal.json))
        throw usageError(
          'Cannot prompt: standard input is not a terminal.',
          'Use --digest with the digest of the preview, or --yes.'
        )
      if (!prompts && ids.length === 0 && options.group === undefined)
        throw usageError('The ids of the calls are missing.', 'See: toolgate approvals')
      const client = await context.connect()
      if (options.group !== undefined) await approveGroup(context, client, options.group, options)
      else if (prompts) await promptForEach(context, client, ids, toPreset(options))
      else for (const id of ids) await approveOne(context, client, id, options)
    })
}
export default approve

async function approveGroup(context: CliContext, client: Client, key: string, options: Options) {
  const { terminal, signal } = context
  const calls = findGroupCalls(await client.approvals({ signal }), key)
  if (calls.length === 0)
    throw new CliError(`No calls of the group ${key} are waiting for approval.`, {
      exit: EXIT.conflict,
      code: 'CONFLICT',
      hint: 'See: toolgate approvals'
    })
  const reason = options.reason === undefined ? {} : { reason: options.reason }
  if (!options.yes) return void (await promptForCalls(context, client, { calls, reason }))
  const { approveShown, formatGroup } = await import('../../ui/group-prompt.ts')
  if (!terminal.json) terminal.info(formatGroup(terminal, calls))
  printOutcomes(context, calls, 'approved', await approveShown(client, calls, { ...reason, signal }))
}

interface PromptedGroup {
  calls: readonly PendingCall[]
  reason: { reason?: string }
}

/** Prompts for the calls of a group together, or one after the other if that is chosen. Returns false if the person quits. */
async function promptForCalls(context: CliContext, client: Client, { calls, reason }: PromptedGroup): Promise<boolean> {
  const { promptForGroup } = await import('../../ui/group-prompt.ts')
  const outcome = await promptForGroup(context, client, calls, reason)
  if (outcome.kind === 'decided') printOutcomes(context, calls, outcome.verdict, outcome.results)
  else if (outcome.kind === 'left') context.terminal.info('The calls still wait for approval.')
  else
    for (const { tool_call_id } of calls) {
      const call = await findPendingCall(client, tool_call_id, context.signal)
      if (call && !(await promptForOne(context, client, call, reason))) return false
    }
  return outcome.kind !== 'left'
}

/** Prints the outcome of each call. Those that were not decided still wait. */
function printOutcomes(
  context: CliContext,
  calls: readonly PendingCall[],
  verdict: 'approved' | 'rejected',
  results: readonly DecisionOutcome[]
) {
  const { terminal } = context
  for (const [index, outcome] of results.entries()) {
    const { tool_call_id } = calls[index]!
    if ('problem' in outcome) {
      const { code, detail, title } = outcome.problem
      context.exitCode = EXIT.conflict
      terminal.error(`${tool_call_id} not ${verdict}: ${code}: ${escapeInvisible(detail ?? title)}`)
    } else if (verdict === 'approved') printApproved(context, outcome)
    else if (terminal.json) terminal.printJson(outcome)
    else terminal.print(`${tool_call_id} rejected`)
  }
}

/** Prompts for one call, or one group, after the other; quitting skips the rest. */
async function promptForEach(context: CliContext, client: Client, ids: readonly string[], preset: ApprovalPreset) {
  const { terminal, signal } = context
  const waiting = ids.length > 0 ? [] : await client.approvals({ signal })
  const given = ids.length > 0 ? ids : waiting.map(({ tool_call_id }) => tool_call_id)
  if (given.length === 0) return terminal.info('No calls are waiting for approval.')
  const groups = new Map<string, ApprovalGroup<PendingCall>>()
  for (const group of groupApprovals(waiting)) for (const call of group.calls) groups.set(call.tool_call_id, group)
  const prompted = new Set<ApprovalGroup<PendingCall>>()
  for (const [index, id] of given.entries()) {
    const group = groups.get(id)
    if (group && prompted.has(group)) continue
    if (given.length > 1) terminal.info(terminal.paint('gray', `\n${index + 1} of ${given.length}`))
    if (group) prompted.add(group)
    const { reason } = preset
    if (group) {
      const goesOn = await promptForCalls(context, client, {
        calls: group.calls,
        reason: reason === undefined ? {} : { reason }
      })
      if (!goesOn) return
      continue
    }
    const find = ids.length > 0 ? getPendingCall : findPendingCall
    const call = await find(client, id, signal)
    if (call && !(await promptForOne(context, client, call, preset))) return
  }
}

/** Returns false if the person quits. */
async function promptForOne(
  context: CliContext,
  client: Client,
  call: PendingCall,
  preset: ApprovalPreset
): Promise<boolean> {
  const { terminal } = context
  const { promptForApproval } = await import('../../ui/approval-prompt.ts')
  const outcome = await promptForApproval(context, client, call, preset)
  if (outcome.kind === 'left') {
    terminal.info('The call still waits for approval.')
    return false
  }
  if (outcome.kind === 'elsewhere') context.exitCode = EXIT.conflict
  else if (outcome.kind === 'rejected') terminal.print(`${call.tool_call_id} rejected`)
  else printApproved(context, outcome.call)
  return true
}

async function approveOne(context: CliContext, client: Client, id: string, options: Options): Promise<void> {
  const { terminal, signal } = context
  const pending = await getPendingCall(client, id, signal)
  const { call, ...whole } = await loadWholePreview(client, pending, signal)
  if (!terminal.json) terminal.info(`${formatApproval(terminal, call)}\n\n${formatRuleOptions(terminal, call)}`)
  const digest = options.digest ?? call.approval.digest
  const preset = toPreset(options)
  const params = preset.modified_params as Record<string, unknown> | undefined
  const changed = params && (await previewEdited(context, client, call, params))
  const approved = await client.approve(id, {
    digest,
    ...whole,
    confirm: true,
    signal,
    ...preset,
    ...changed
  })
  printApproved(context, approved)
}

/** The call may have failed immediately, for example if its file is gone. */
function printApproved(context: CliContext, call: Call) {
  const { terminal } = context
  const exit = exitCodeFor(call)
  if (exit !== EXIT.ok) context.exitCode = exit
  if (terminal.json) terminal.printJson(call)
  else terminal.print(`${call.tool_call_id} ${formatApprovalResult(call)}`)
}

/** Previews the call with modified params, to which the approval is bound. */
async function previewEdited(
  { terminal, signal }: CliContext,
  client: Client,
  call: PendingCall,
  params: Record<string, unknown>
) {
  const dryRun = await client.dryRunModified(call, params, { signal })
  if (!terminal.json) terminal.info(formatEditedCall(terminal, { tool: call.tool, params, dryRun }))
  return dryRun.digest === undefined ? {} : { modified_digest: dryRun.digest }
}

const toPreset = ({ always, reason, params, ...options }: Options): ApprovalPreset => ({
  ...(always !== undefined && { always }),
  ...toAlwaysLimits(always, options),
  ...(reason !== undefined && { reason }),
  ...(params !== undefined && { modified_params: parseParamsOption(params) })
})

function toAlwaysLimits(always: string | undefined, { onlySession, ...ends }: Omit<Options, 'always'>) {
  const always_limits = { ...toEnds(ends), ...(onlySession && { scope: 'session' as const }) }
  if (Object.keys(always_limits).length === 0) return {}
  if (always === undefined) throw usageError('--for, --uses and --only-session require --always.')
  return { always_limits }
}

async function getPendingCall(client: Client, id: string, signal: AbortSignal): Promise<PendingCall> {
  const call = await client.get(id, { signal })
  if (call.status === 'awaiting_approval') return call
  throw notPendingError(call)
}

/** Returns the call if it still waits. */
async function findPendingCall(client: Client, id: string, signal: AbortSignal): Promise<PendingCall | undefined> {
  const call = await client.get(id, { signal })
  return call.status === 'awaiting_approval' ? call : undefined
}

const notPendingError = (call: Call) =>
  new CliError(`${call.tool_call_id} is not waiting for approval: ${formatDecision(call)}.`, {
    exit: EXIT.conflict,
    code: 'CONFLICT'
  })

function parseParamsOption(text: string): Record<string, unknown> {
  const value = parseObject(text)
  if (value) return value
  throw usageError('Invalid --params: expected a JSON object.')
}
