import { connect } from '../../../client/client.ts'
import { terminate, waitForProcessExit } from '../../../host/processes/pids.ts'
import type { DiscoveredServer } from '../../../node-client/discover.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { CliError, EXIT } from '../../exit.ts'
import { httpFetch } from '../../http-fetch.ts'

const stop: CommandSetup = (command, context) => {
  command
    .description('Stop the server of this project. Running calls have up to 30 s to finish.')
    .option('--if-idle', 'stop only if no call is waiting or running; otherwise exit with code 6')
    .option('--now', 'stop without waiting for running calls')
    .addHelpText('after', '\nExamples:\n  toolgate stop\n  toolgate stop --if-idle')
    .action(async ({ ifIdle, now }: { ifIdle?: boolean; now?: boolean }) => {
      const found = await context.findServer()
      if (ifIdle) await assertIdle(found, context.signal)
      const pid = getServerPid(found)
      terminate(pid)
      if (now) terminate(pid)
      await waitForProcessExit(pid, context.signal)
      if (context.terminal.json) context.terminal.printJson({ stopped: pid, url: found.url })
      else context.terminal.info(`Stopped the server at ${found.url}.`)
    })
}
export default stop

/** Returns the process of a server on this machine, which has just answered with the instance in its file. */
function getServerPid({ url, record }: DiscoveredServer): number {
  if (record) return record.pid
  throw new CliError(`The server at ${url} cannot be stopped, because you did not start it on this machine.`, {
    exit: EXIT.failed,
    code: 'NOT_OURS'
  })
}

async function assertIdle(found: DiscoveredServer, signal: AbortSignal) {
  const { pending, running, jobs } = await connect({ ...found, fetch: httpFetch }).state({ signal })
  if (pending.length + running.length + jobs.length === 0) return
  throw new CliError(
    `The server is not idle: ${pending.length} calls waiting, ${running.length + jobs.length} calls and jobs running.`,
    {
      exit: EXIT.conflict,
      code: 'CONFLICT'
    }
  )
}
