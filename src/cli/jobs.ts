import type { Job } from '../client/client.ts'
import { jobStatus } from './job-status.ts'
import logs from './logs.ts'
import type { Verb } from './run.ts'
import { oneLine, type Style } from './terminal.ts'
import { age } from './times.ts'

const STYLES: Record<Job['status'], Style> = {
  running: 'blue',
  exited: 'green',
  stopped: 'gray',
  interrupted: 'red',
  lost: 'red'
}

const jobs: Verb = (command, context) => {
  command
    .description('List the commands that run on after their call, newest first. They are ended by toolgate cancel.')
    .option('-a, --all', 'also those that have ended')
    .option('--session <id>', 'only those of this session')
    .addHelpText('after', '\nExamples:\n  toolgate jobs\n  toolgate jobs --all --json')
    .action(async ({ all, session }: { all?: boolean; session?: string }) => {
      const client = await context.connect()
      const { terminal, signal } = context
      const found = await client.jobs({
        signal,
        ...(!all && { status: 'running' }),
        ...(session !== undefined && { session_id: session })
      })
      if (terminal.json) return terminal.outJson(found)
      if (found.length === 0) return terminal.say(all ? 'There are no jobs.' : 'No job runs.')
      const rows = found.map(job => [
        job.task_id,
        age(job.started_at),
        terminal.paint(STYLES[job.status], jobStatus(job)),
        job.isolation,
        oneLine(job.description ?? job.command)
      ])
      terminal.table(['TASK', 'AGE', 'STATUS', 'ISOLATION', 'COMMAND'], rows)
    })

  // Who has just listed them is likely to ask for the output of one in the same words.
  logs(command.command('logs'), context)
}
export default jobs
