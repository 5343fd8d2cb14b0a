import { connect } from '../client/client.ts'
import type { Discovered } from '../client/discover.ts'
import { ended, terminate } from '../host/processes/running.ts'
import { CliError, EXIT } from './exit.ts'
import type { Verb } from './run.ts'

const stop: Verb = (command, context) => {
  command
    .description('Stop the server of this project. What runs may end first, for up to 30 s.')
    .option('--if-idle', 'only when nothing waits or runs; else exit 6')
    .option('--now', 'do not let what runs end')
    .addHelpText('after', '\nExamples:\n  toolgate stop\n  toolgate stop --if-idle')
    .action(async ({ ifIdle, now }: { ifIdle?: boolean; now?: boolean }) => {
      const found = await context.find()
      if (ifIdle) await mustBeIdle(found, context.signal)
      const pid = pidOf(found)
      terminate(pid)
      if (now) terminate(pid)
      await ended(pid, context.signal)
      if (context.terminal.json) context.terminal.outJson({ stopped: pid, url: found.url })
      else context.terminal.say(`Stopped the server at ${found.url}.`)
    })
}
export default stop

/** The process of a server on this machine, which has just answered by the name that its file gives. */
function pidOf({ url, record }: Discovered): number {
  if (record) return record.pid
  throw new CliError(`The server at ${url} was not started by you on this machine, so it can't be stopped from here.`, {
    exit: EXIT.failed,
    code: 'NOT_OURS'
  })
}

async function mustBeIdle(found: Discovered, signal: AbortSignal) {
  const { pending, running, jobs } = await connect(found).state({ signal })
  if (pending.length + running.length + jobs.length === 0) return
  throw new CliError(`Calls that wait: ${pending.length}; calls and jobs that run: ${running.length + jobs.length}.`, {
    exit: EXIT.conflict,
    code: 'CONFLICT'
  })
}
