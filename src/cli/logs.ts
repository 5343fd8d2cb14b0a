import { type Client, ToolgateError } from '../client/client.ts'
import type { Context } from './context.ts'
import { CliError, EXIT, oneOf } from './exit.ts'
import { jobStatus } from './job-status.ts'
import { isAway } from './lasting.ts'
import { printOutput } from './output.ts'
import type { Verb } from './run.ts'
import { safe } from './terminal.ts'
import { verbOf } from './verb-command.ts'

const logs: Verb = (command, context) => {
  const verb = verbOf(command)
  command
    .description('Print what a command has printed so far.')
    .argument('<task>', 'task_id, or tool_call_id')
    .option('-f, --follow', 'go on until it has ended')
    .option('--stream <name>', 'stdout or stderr alone')
    .addHelpText(
      'after',
      `
Followed, it also tells how the command ended: exit 0 where it did so by itself or was cancelled, 1 where the end of the server
cut it short, 3 where the server is gone and cannot tell.

Examples:
  toolgate ${verb} tc_01J…
  toolgate ${verb} tc_01J… --follow`
    )
    .action(async (id: string, { follow = false, stream }: { follow?: boolean; stream?: string }) => {
      const only = stream === undefined ? undefined : oneOf('--stream', stream, ['stdout', 'stderr'])
      await printOutput(context, id, { follow, stream: only })
      if (follow) await tellEnd(context, id)
    })
}
export default logs

/** How it ended: that there is no more output says nothing of it. */
async function tellEnd(context: Context, id: string) {
  const client = await context.connect()
  const { terminal, signal } = context
  const { status, words } = await endOf(client, id, signal).catch(error => {
    if (!isAway(error)) throw error
    throw new CliError('The server is gone, and what ran there with it.', {
      exit: EXIT.unreachable,
      code: 'UNREACHABLE',
      hint: `How it ended is told once a server runs: toolgate jobs --all`
    })
  })
  if (CUT_SHORT.includes(status)) throw new CliError(`${id} ${words}`, { exit: EXIT.failed, code: 'INTERRUPTED' })
  if (!terminal.json) terminal.say(`${id} ${words}`)
}

/** What ended not by itself and by nobody's wish: there would have been more output. */
const CUT_SHORT: readonly string[] = ['interrupted', 'lost']

/** Of a job, or of a call that leaves none. */
async function endOf(client: Client, id: string, signal: AbortSignal) {
  const job = await client.job(id, { signal }).catch(error => {
    if (error instanceof ToolgateError && error.code === 'NOT_FOUND') return undefined
    throw error
  })
  const ended = job ?? (await client.get(id, { signal }))
  const reason = 'reason' in ended && ended.reason ? `: ${safe(ended.reason)}` : ''
  return { status: ended.status, words: `${job ? jobStatus(job) : ended.status}${reason}` }
}
