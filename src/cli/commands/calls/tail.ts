import type { EventType } from '../../../client/client.ts'
import { usage } from '../../exit.ts'
import type { Verb } from '../../run.ts'
import { eventLine } from '../../ui/format.ts'

interface Options {
  type?: string
  session?: string
  workspace?: string
  call?: string
  since?: string
}

const tail: Verb = (command, context) => {
  command
    .description('Follow events as they happen, also across server restarts. Ctrl+C ends it.')
    .option('--type <types>', 'only these types, comma-separated, such as tool.call,tool.result')
    .option('--session <id>', 'only events of this session')
    .option('--workspace <name>', 'only events of this workspace')
    .option('--call <id>', 'only events of this call')
    .option('--since <seq>', 'start after this sequence number; 0 for all stored events (default: now)')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate tail\n  toolgate tail --type file.changed --json\n  toolgate tail --since 0'
    )
    .action(async ({ type, session, workspace, call, since }: Options) => {
      if (since !== undefined && !/^\d+$/.test(since))
        throw usage('Invalid --since: expected the sequence number of an event.')
      const client = await context.connect()
      context.catchInterrupt()
      const { terminal, signal } = context
      const events = client.events({
        signal,
        onDisconnect: () => terminal.say('Connection lost. Reconnecting…'),
        ...(type !== undefined && { types: type.split(',') as EventType[] }),
        ...(session !== undefined && { session_id: session }),
        ...(workspace !== undefined && { workspace }),
        ...(call !== undefined && { tool_call_id: call }),
        ...(since !== undefined && { after: Number(since) })
      })
      for await (const event of events) {
        if (terminal.json) terminal.outJson(event)
        else terminal.out(eventLine(terminal, event))
        await terminal.taken(signal)
      }
      signal.throwIfAborted()
    })
}
export default tail
