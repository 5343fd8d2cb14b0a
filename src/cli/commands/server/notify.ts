// Notification channels: their state, and test messages through the running server.
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { EXIT } from '../../exit.ts'

const NO_CHANNELS = 'No notification channels are configured (setting: notifications.channels).'

const notify: CommandSetup = (command, context) => {
  command
    .description('List and test the channels that notify people about calls that wait for approval.')
    .addHelpText('after', '\nExamples:\n  toolgate notify list\n  toolgate notify test phone')

  command
    .command('list')
    .description('List the channels with their latest success and error.')
    .addHelpText('after', '\nExample:\n  toolgate notify list')
    .action(async () => {
      const client = await context.connect()
      const { terminal, signal } = context
      const { channels } = await client.notifications({ signal })
      if (terminal.json) return terminal.printJson(channels)
      if (channels.length === 0) return terminal.info(NO_CHANNELS)
      const rows = channels.map(({ name, kind, pending, last_success = '', problem, last_error }) =>
        [name, kind, String(pending), last_success, problem ?? formatError(last_error)].map(escapeInvisible)
      )
      await terminal.table(['CHANNEL', 'KIND', 'PENDING', 'LAST SUCCESS', 'LAST ERROR'], rows)
    })

  command
    .command('test [channel]')
    .description('Send a test message by one channel or by all. Exit code 1 if a channel does not accept it.')
    .addHelpText('after', '\nExamples:\n  toolgate notify test\n  toolgate notify test phone')
    .action(async (channel: string | undefined) => {
      const client = await context.connect()
      const { terminal, signal } = context
      const results = await client.testNotifications({ channel, signal })
      if (results.some(({ accepted }) => !accepted)) context.exitCode = EXIT.failed
      if (terminal.json) return terminal.printJson(results)
      if (results.length === 0) return terminal.info(NO_CHANNELS)
      for (const { channel: name, kind, accepted, error = '' } of results)
        terminal.print(escapeInvisible(`${name} (${kind}): ${accepted ? 'accepted' : error}`))
    })
}
export default notify

const formatError = (error: { time: string; message: string } | undefined) =>
  error === undefined ? '' : `${error.time} ${error.message}`
