import type { Call, Client } from '../../../client/client.ts'
import type { Context } from '../../context.ts'
import type { Verb } from '../../run.ts'
import type { Waiting } from '../../ui/call-watcher.ts'
import { age } from '../../ui/format-time.ts'
import { oneLine, type Style, type Terminal } from '../../ui/terminal.ts'

const approvals: Verb = (command, context) => {
  command
    .description('List calls that are waiting for approval, oldest first.')
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
      if (terminal.json) terminal.outJson(waiting)
      else if (waiting.length === 0) terminal.say('No calls are waiting for approval.')
      else terminal.out(tableOf(terminal, waiting))
    })
}
export default approvals

const tableOf = (terminal: Terminal, waiting: readonly Waiting[]) =>
  terminal.formatTable(
    ['CALL', 'AGE', 'LEVEL', 'TOOL', 'TITLE'],
    waiting.map(call => rowOf(terminal, call))
  )

/** Strict calls stand out: they need the preview confirmed. */
const LEVEL_STYLES: Record<Waiting['approval']['level'], Style> = { ask: 'yellow', strict: 'red' }

const rowOf = (terminal: Terminal, { tool_call_id, tool, created_at, approval }: Waiting) => [
  tool_call_id,
  age(created_at),
  terminal.paint(LEVEL_STYLES[approval.level], approval.level),
  oneLine(tool),
  oneLine(approval.preview.title)
]

const TYPES = ['tool.call', 'tool.decision', 'tool.result'] as const
const CLEAR = '\u001b[H\u001b[2J'

/** On a screen the table as it is now; else a line for each call that comes or goes. */
async function watch(context: Context, client: Client) {
  context.catchInterrupt()
  const { terminal, signal, world } = context
  const onScreen = !terminal.json && world.stdout.isTTY === true
  const onDisconnect = () => terminal.say('Connection lost. Reconnecting…')
  let before: readonly Waiting[] = []
  for await (const _ of client.events({ types: TYPES, signal, onDisconnect })) {
    const now = await client.approvals({ signal }).catch(() => before)
    if (onScreen)
      terminal.write(`${CLEAR}${now.length === 0 ? 'No calls are waiting for approval.' : tableOf(terminal, now)}\n`)
    else await tellChange(context, client, before, now)
    await terminal.taken(signal)
    before = now
  }
  signal.throwIfAborted()
}

async function tellChange(
  { terminal, signal }: Context,
  client: Client,
  before: readonly Waiting[],
  now: readonly Waiting[]
) {
  const isIn = (all: readonly Waiting[], call: Call) => all.some(each => each.tool_call_id === call.tool_call_id)
  const gone = before.filter(call => !isIn(now, call))
  for (const { tool_call_id } of gone) {
    const call = await client.get(tool_call_id, { signal })
    if (terminal.json) terminal.outJson(call)
    else terminal.out(`${tool_call_id} ${call.status}`)
  }
  for (const call of now.filter(call => !isIn(before, call))) {
    if (terminal.json) terminal.outJson(call)
    else terminal.out(rowOf(terminal, call).join('  '))
  }
}
