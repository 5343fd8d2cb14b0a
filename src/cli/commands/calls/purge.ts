import type { CommandSetup } from '../../command-setup.ts'

const purge: CommandSetup = (command, context) => {
  command
    .description(
      'Remove the content of a finished call from the journal, its captured output and the undo store: params, result, ' +
        'previews and file contents. The removed content cannot be restored, and the call can no longer be undone.'
    )
    .requiredOption('--call <id>', 'id of the call')
    .addHelpText('after', '\nExample:\n  toolgate purge --call tc_01J…')
    .action(async ({ call: id }: { call: string }) => {
      const client = await context.connect()
      const { terminal, signal } = context
      const call = await client.purge(id, { signal })
      if (terminal.json) terminal.printJson(call)
      else terminal.print(`${call.tool_call_id} purged`)
    })
}
export default purge
