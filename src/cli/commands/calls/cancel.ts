import type { CommandSetup } from '../../command-setup.ts'
import { hasBackgroundJob } from '../../ui/format.ts'
import { formatJobStatus } from '../../ui/format-job-status.ts'

const cancel: CommandSetup = (command, context) => {
  command
    .description('Cancel waiting and running calls, and stop background jobs. Calls that have ended are not affected.')
    .argument('<id...>', 'tool_call_id')
    .option('-m, --reason <text>', 'why')
    .addHelpText('after', '\nExample:\n  toolgate cancel tc_01J…')
    .action(async (ids: string[], { reason }: { reason?: string }) => {
      const client = await context.connect()
      const { terminal, signal } = context
      for (const id of ids) {
        const call = await client.cancel(id, { signal, ...(reason !== undefined && { reason }) })
        if (terminal.json) terminal.printJson(call)
        else
          terminal.print(
            `${id} ${hasBackgroundJob(call) ? formatJobStatus(await client.job(id, { signal })) : call.status}`
          )
      }
    })
}
export default cancel
