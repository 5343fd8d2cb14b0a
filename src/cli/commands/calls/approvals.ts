import type { Call, Client } from '../../../client/client.ts'
import { groupApprovals } from '../../../protocol/approval-groups.ts'
import { describeNarrowestOption } from '../../../protocol/narrowest-option.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import type { PendingCall } from '../../ui/call-watcher.ts'
import { formatAge } from '../../ui/format-time.ts'
import { oneLine, type Terminal, type TextStyle, toSingleLine } from '../../ui/terminal.ts'

const approvals: CommandSetup = (command, context) => {
  command
    .description(
      'List calls that are waiting for approval, oldest first. Calls that wait for the same reason have the same GROUP: toolgate approve --group decides on them at once.'
    )
    .option(
      '-w, --watch',
      'keep running and show changes; with --json, print each call when it starts and stops waiting'
    )
    .addHelpText(
      'after',
      "\nExamples:\n  toolgate approvals\n  toolgate approvals --watch\n  toolgate approvals --json | jq -r '.[].tool_call_id'"
    )
    .action(async ({ watch: goOn }: { watch?: true }) => {
      const client = await context.connect()
      if (goOn) return watch(context, client)
      const { terminal, signal } = context
      const waiting = await client.approvals({ signal })
      if (terminal.json) terminal.printJson(waiting)
      else if (waiting.length === 0) terminal.info('No calls are waiting for approval.')
      else terminal.print(await formatApprovals(terminal, waiting))
    })
}
export default approvals

/**
 * Formats a row for each call, and below it the narrowest rule that would have allowed the call. The calls of a group are one below the
 * other, with its key.
 */
async function formatApprovals(terminal: Terminal, waiting: readonly PendingCall[]): Promise<string> {
  const groups = groupApprovals(waiting)
  const groupOf = (call: PendingCall) => groups.find(({ calls }) => calls.includes(call))
  const ordered = [...new Set(waiting.flatMap(call => groupOf(call)?.calls ?? [call]))]
  const withGroup = (group: string, cells: readonly string[]) => (groups.length === 0 ? cells : [group, ...cells])
  const table = await terminal.formatTable(
    withGroup('GROUP', HEADING),
    ordered.map(call => withGroup(groupOf(call)?.key ?? '', toRow(terminal, call)))
  )
  const [head = '', ...lines] = table.split('\n')
  const described = lines.map((line, index) => {
    const rule = describeNarrowestOption(ordered[index]?.approval.always_options ?? [])
    return rule === undefined ? line : `${line}\n${terminal.paint('gray', `  ${toSingleLine(rule, MAX_RULE_LENGTH)}`)}`
  })
  return [head, ...described].join('\n')
}
const HEADING = ['CALL', 'AGE', 'LEVEL', 'TOOL', 'TITLE']

/** Longer rules are shown in full by `toolgate approve`. */
const MAX_RULE_LENGTH = 160

/** Highlights strict calls, whose preview must be confirmed. */
const LEVEL_STYLES: Record<PendingCall['approval']['level'], TextStyle> = { ask: 'yellow', strict: 'red' }

/** Returns the level, with the number of approvals if the call needs several: `ask 1/2`. */
const formatLevel = ({ level, approvals_needed, approvals = [] }: PendingCall['approval']) =>
  approvals_needed === undefined ? level : `${level} ${approvals.length}/${approvals_needed}`

const toRow = (terminal: Terminal, { tool_call_id, tool, created_at, approval }: PendingCall) => [
  tool_call_id,
  formatAge(created_at),
  terminal.paint(LEVEL_STYLES[approval.level], formatLevel(approval)),
  oneLine(tool),
  oneLine(approval.preview.title)
]

const WATCHED_EVENTS = ['tool.call', 'tool.decision', 'tool.result'] as const
const CLEAR_SCREEN = '\u001b[H\u001b[2J'

/** Refreshes a table on a screen; else prints a line for each call that is added or removed. */
async function watch(context: CliContext, client: Client) {
  context.handleInterrupt()
  const { terminal, signal, runtime } = context
  const onScreen = !terminal.json && runtime.stdout.isTTY === true
  const onDisconnect = () => terminal.info('Connection lost. Reconnecting…')
  let before: readonly PendingCall[] = []
  for await (const _ of client.events({ types: WATCHED_EVENTS, signal, onDisconnect })) {
    const now = await client.approvals({ signal }).catch(() => before)
    if (onScreen)
      terminal.write(
        `${CLEAR_SCREEN}${now.length === 0 ? 'No calls are waiting for approval.' : await formatApprovals(terminal, now)}\n`
      )
    else await printChanges(context, client, before, now)
    await terminal.waitForDrain(signal)
    before = now
  }
  signal.throwIfAborted()
}

async function printChanges(
  { terminal, signal }: CliContext,
  client: Client,
  before: readonly PendingCall[],
  now: readonly PendingCall[]
) {
  const isIn = (all: readonly PendingCall[], call: Call) => all.some(each => each.tool_call_id === call.tool_call_id)
  const gone = before.filter(call => !isIn(now, call))
  for (const { tool_call_id } of gone) {
    const call = await client.get(tool_call_id, { signal })
    if (terminal.json) terminal.printJson(call)
    else terminal.print(`${tool_call_id} ${call.status}`)
  }
  for (const call of now.filter(call => !isIn(before, call))) {
    if (terminal.json) terminal.printJson(call)
    else terminal.print(toRow(terminal, call).join('  '))
  }
}
