import type { Verb } from '../../run.ts'
import { runsOn } from '../../ui/format.ts'
import { jobStatus } from '../../ui/format-job-status.ts'

const cancel: Verb = (command, context) => {
  command
    .description('Cancel waiting and running calls, and stop background jobs. Finished calls are not affected.')
    .argument('<id...>', 'tool_call_id')
    .option('-m, --reason <text>', 'why')
    .addHelpText('after', '\nExample:\n  toolgate cancel tc_01J…')
    .action(async (ids: string[], { reason }: { reason?: string }) => {
      const client = await context.connect()
      const { terminal, signal } = context
      for (const id of ids) {
        const call = await client.cancel(id, { signal, ...(reason !== undefined && { reason }) })
        if (terminal.json) terminal.outJson(call)
        else terminal.out(`${id} ${runsOn(call) ? jobStatus(await client.job(id, { signal })) : call.status}`)
      }
    })
}
export default cancel
