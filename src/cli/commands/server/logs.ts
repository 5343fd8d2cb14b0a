import { type Client, ToolgateError } from '../../../client/client.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { commandName } from '../../cli-command.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT, parseChoice } from '../../exit.ts'
import { isDisconnected } from '../../reconnect.ts'
import { formatJobStatus } from '../../ui/format-job-status.ts'
import { printOutput } from '../../ui/print-output.ts'

const logs: CommandSetup = (command, context) => {
  const commandPath = commandName(command)
  command
    .description('Print the output of a command or background job.')
    .argument('<task>', 'id of the job or call')
    .option('-f, --follow', 'continue to print until the command has ended')
    .option('--stream <name>', 'only stdout or stderr')
    .addHelpText(
      'after',
      `
With --follow, the exit code is 0 if the command ended or was cancelled, 1 if it was interrupted because the server stopped, and 3
if the server cannot be reached.

Examples:
  toolgate ${commandPath} tc_01J…
  toolgate ${commandPath} tc_01J… --follow`
    )
    .action(async (id: string, { follow = false, stream }: { follow?: boolean; stream?: string }) => {
      const only = stream === undefined ? undefined : parseChoice('--stream', stream, ['stdout', 'stderr'])
      await printOutput(context, id, { follow, stream: only })
      if (follow) await reportEnd(context, id)
    })
}
export default logs

/** Reports the outcome, which the end of the output does not reveal. */
async function reportEnd(context: CliContext, id: string) {
  const client = await context.connect()
  const { terminal, signal } = context
  const { status, words } = await getEndStatus(client, id, signal).catch(error => {
    if (!isDisconnected(error)) throw error
    throw new CliError('Connection lost. The server has stopped, and its jobs have ended.', {
      exit: EXIT.unreachable,
      code: 'UNREACHABLE',
      hint: 'To see how the job ended, start the server and run: toolgate jobs --all'
    })
  })
  if (INTERRUPTED_STATUSES.includes(status))
    throw new CliError(`${id} ${words}`, { exit: EXIT.failed, code: 'INTERRUPTED' })
  if (!terminal.json) terminal.info(`${id} ${words}`)
}

/** Statuses of jobs that were cut off: there would have been more output. */
const INTERRUPTED_STATUSES: readonly string[] = ['interrupted', 'lost']

/** Returns the status of a job, or of a call without one. */
async function getEndStatus(client: Client, id: string, signal: AbortSignal) {
  const job = await client.job(id, { signal }).catch(error => {
    if (error instanceof ToolgateError && error.code === 'NOT_FOUND') return undefined
    throw error
  })
  const ended = job ?? (await client.get(id, { signal }))
  const reason = 'reason' in ended && ended.reason ? `: ${escapeInvisible(ended.reason)}` : ''
  return { status: ended.status, words: `${job ? formatJobStatus(job) : ended.status}${reason}` }
}
