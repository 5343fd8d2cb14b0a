import type { CommandSetup } from '../../command-setup.ts'

const reject: CommandSetup = (command, context) => {
  command
    .description('Reject waiting calls. The reason and the message are sent to the caller.')
    .argument('<id...>', 'tool_call_id')
    .option('-m, --reason <text>', 'why')
    .option('--message <text>', 'message to the caller, such as what to do instead')
    .addHelpText('after', '\nExample:\n  toolgate reject tc_01J… -m "not on main" --message "make a branch first"')
    .action(async (ids: string[], { reason, message }: { reason?: string; message?: string }) => {
      const client = await context.connect()
      const { terminal, signal } = context
      for (const id of ids) {
        const call = await client.reject(id, {
          signal,
          ...(reason !== undefined && { reason }),
          ...(message !== undefined && { user_message: message })
        })
        if (terminal.json) terminal.printJson(call)
        else terminal.print(`${id} ${call.status}`)
      }
    })
}
export default reject
