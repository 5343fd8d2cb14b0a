// The account commands of the hub: adds, lists and removes accounts of people and programs.
import type { Command } from 'commander'
import { PERSON_ROLES } from '../../../protocol/hub.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CliContext } from '../../context.ts'
import { parseChoice } from '../../exit.ts'
import { addHubOptions, type HubAddress, openHubClient } from './hub-client.ts'

interface AccountList {
  accounts: { name: string; role: string; made_by: string; made_at: string }[]
}

export function addAccountCommands(hub: Command, context: CliContext) {
  const { terminal } = context
  const account = hub
    .command('account')
    .description('Add, list and remove accounts of the hub itself.')
    .addHelpText('after', '\nExamples:\n  toolgate hub account add Ada --role approver\n  toolgate hub account list')
  const addCommand = (name: string, description: string) =>
    addHubOptions(account.command(name).description(description))

  addCommand('add <name>', 'Add an account, and print its token. The token is printed only once.')
    .option('--role <role>', 'viewer, approver or admin', 'viewer')
    .addHelpText('after', '\nExamples:\n  toolgate hub account add Ada --role approver')
    .action(async (name: string, _options: object, command: Command) => {
      const { role, ...address } = command.optsWithGlobals<HubAddress & { role: string }>()
      const client = openHubClient(context, address)
      const body = { name, role: parseChoice('--role', role, PERSON_ROLES) }
      const added = await client.ask<{ token: string }>('POST', '/accounts', body)
      if (terminal.json) return terminal.printJson(added)
      terminal.print(added.token)
      terminal.info('The token is not shown again. The person uses it to sign in at the hub.')
    })

  addCommand('list', 'List accounts.')
    .addHelpText('after', '\nExamples:\n  toolgate hub account list')
    .action(async (_options: object, command: Command) => {
      const { accounts } = await openHubClient(context, command.optsWithGlobals<HubAddress>()).ask<AccountList>(
        'GET',
        '/accounts'
      )
      if (terminal.json) return terminal.printJson(accounts)
      if (accounts.length === 0) return terminal.info('No accounts.')
      await terminal.table(
        ['NAME', 'ROLE', 'CREATED BY'],
        accounts.map(({ name, role, made_by }) => [escapeInvisible(name), role, escapeInvisible(made_by)])
      )
    })

  addCommand('remove <name>', 'Remove an account. Its token and its sessions end.')
    .addHelpText('after', '\nExamples:\n  toolgate hub account remove Ada')
    .action(async (name: string, _options: object, command: Command) => {
      const client = openHubClient(context, command.optsWithGlobals<HubAddress>())
      await client.ask('DELETE', `/accounts/${encodeURIComponent(name)}`)
      if (terminal.json) terminal.printJson({ removed: name })
      else terminal.info(`Removed ${escapeInvisible(name)}.`)
    })
}
