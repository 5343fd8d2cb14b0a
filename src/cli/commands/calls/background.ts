import type { Call } from '../../../client/client.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { formatFollowHint, hasBackgroundJob } from '../../ui/format.ts'

const background: CommandSetup = (command, context) => {
  command
    .description('Move a running call to the background. The caller gets a result now, and the call continues.')
    .argument('<id>', 'tool_call_id')
    .addHelpText('after', '\nExample:\n  toolgate background tc_01J…')
    .action(async (id: string) => {
      const client = await context.connect()
      const { terminal, signal } = context
      const call = await client.background(id, { signal })
      if (terminal.json) terminal.printJson(call)
      else {
        terminal.print(formatBackgrounded(call))
        if (call.status === 'success' && hasBackgroundJob(call)) terminal.info(formatFollowHint(id))
      }
    })
}
export default background

/** Formats the result: a detached command has answered its call and continues as a task. */
function formatBackgrounded(call: Call) {
  const { tool_call_id, status } = call
  const { task_id = status === 'running' ? tool_call_id : undefined } =
    status === 'success' ? (call.result.data as { task_id?: string }) : {}
  return task_id === undefined ? `${tool_call_id} ${status}` : `${tool_call_id} continues as task ${task_id}`
}
