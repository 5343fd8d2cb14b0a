import type { Job } from '../../../client/client.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { formatJobStatus } from '../../ui/format-job-status.ts'
import { formatAge } from '../../ui/format-time.ts'
import { oneLine, type TextStyle } from '../../ui/terminal.ts'
import logs from '../server/logs.ts'

const STATUS_STYLES: Record<Job['status'], TextStyle> = {
  running: 'blue',
  exited: 'green',
  stopped: 'gray',
  interrupted: 'red',
  lost: 'red'
}

const jobs: CommandSetup = (command, context, catalog) => {
  command
    .description('List background jobs, newest first. To stop a job, use toolgate cancel.')
    .option('-a, --all', 'also list jobs that have ended')
    .option('--session <id>', 'only jobs of this session')
    .addHelpText('after', '\nExamples:\n  toolgate jobs\n  toolgate jobs --all --json')
    .action(async ({ all, session }: { all?: boolean; session?: string }) => {
      const client = await context.connect()
      const { terminal, signal } = context
      const found = await client.jobs({
        signal,
        ...(!all && { status: 'running' }),
        ...(session !== undefined && { session_id: session })
      })
      if (terminal.json) return terminal.printJson(found)
      if (found.length === 0)
        return terminal.info(
          all ? 'No jobs.' : 'No jobs are running. To list jobs that have ended, too: toolgate jobs --all'
        )
      const hasPorts = found.some(job => listPorts(job).length > 0)
      const rows = found.map(job => [
        job.task_id,
        formatAge(job.started_at),
        terminal.paint(STATUS_STYLES[job.status], formatJobStatus(job)),
        job.isolation,
        ...(hasPorts ? [listPorts(job).join(' ')] : []),
        oneLine(job.description ?? job.command)
      ])
      await terminal.table(['TASK', 'AGE', 'STATUS', 'ISOLATION', ...(hasPorts ? ['PORTS'] : []), 'COMMAND'], rows)
      if (hasPorts) terminal.info('To open a port in a browser: toolgate open <task>')
    })

  // After listing jobs, a user is likely to try this command for their output.
  logs(command.command('logs'), context, catalog)
}
export default jobs

/** Returns the ports that are reachable now. */
const listPorts = ({ status, ports = [] }: Job) => (status === 'running' ? ports.map(({ port }) => port) : [])
