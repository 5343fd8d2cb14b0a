import type { EventType } from '../../../client/client.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { usageError } from '../../exit.ts'
import { formatEventLine } from '../../ui/format.ts'

interface Options {
  type?: string
  session?: string
  workspace?: string
  call?: string
  since?: string
}

const tail: CommandSetup = (command, context) => {
  command
    .description('Follow events as they happen, even across server restarts. Press Ctrl+C to end.')
    .option('--type <types>', 'only events of these types, comma-separated, such as tool.call,tool.result')
    .option('--session <id>', 'only events of this session')
    .option('--workspace <name>', 'only events of this workspace')
    .option('--call <id>', 'only events of this call')
    .option('--since <seq>', 'only events after this sequence number; 0 for all stored events (default: new events)')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate tail\n  toolgate tail --type file.changed --json\n  toolgate tail --since 0'
    )
    .action(async ({ type, session, workspace, call, since }: Options) => {
      if (since !== undefined && !/^\d+$/.test(since))
        throw usageError('Invalid --since: expected the sequence number of an event.')
      const client = await context.connect()
      context.handleInterrupt()
      const { terminal, signal } = context
      const events = client.events({
        signal,
        onDisconnect: () => terminal.info('Connection lost. Reconnecting…'),
        ...(type !== undefined && { types: type.split(',') as EventType[] }),
        ...(session !== undefined && { session_id: session }),
        ...(workspace !== undefined && { workspace }),
        ...(call !== undefined && { tool_call_id: call }),
        ...(since !== undefined && { after: Number(since) })
      })
      for await (const event of events) {
        if (terminal.json) terminal.printJson(event)
        else terminal.print(formatEventLine(terminal, event))
        await terminal.waitForDrain(signal)
      }
      signal.throwIfAborted()
    })
}
export default tail
