// Commands for MCP servers whose tools are served: list, log in and out, restart.
import type { Command } from 'commander'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CliContext } from '../../context.ts'

interface WorkspaceOptions {
  workspace?: string
}

export function addMcpServerCommands(command: Command, context: CliContext) {
  command
    .command('list')
    .description('List configured MCP servers and their status.')
    .addHelpText('after', '\nExample:\n  toolgate mcp list')
    .action(async () => {
      const client = await context.connect()
      const { terminal, signal } = context
      const servers = await client.mcpServers({ signal })
      if (terminal.json) return terminal.printJson(servers)
      if (servers.length === 0) return terminal.info('No MCP servers are configured (setting: mcp_servers).')
      const rows = servers.map(({ name, workspace, transport, state, tools, reason = '' }) =>
        [name, workspace, transport, state, String(tools), reason].map(escapeInvisible)
      )
      await terminal.table(['SERVER', 'WORKSPACE', 'OVER', 'STATE', 'TOOLS', ''], rows)
    })

  withWorkspaceOption(command.command('login <name>'), 'Log in to a remote MCP server, with a browser on this machine.')
    .addHelpText('after', '\nExample:\n  toolgate mcp login github')
    .action(async (name: string, { workspace }: WorkspaceOptions) => {
      const client = await context.connect()
      const { terminal, signal } = context
      const { authorization_url, expires_at } = await client.mcpLogin(name, { workspace, signal })
      if (terminal.json) return terminal.printJson({ authorization_url, expires_at })
      terminal.info('To log in, open this address in a browser on this machine:')
      terminal.print(escapeInvisible(authorization_url))
    })

  for (const [action, words] of [
    ['logout', 'Log out of a remote MCP server: delete its stored credentials.'],
    ['restart', 'Restart an MCP server.']
  ] as const)
    withWorkspaceOption(command.command(`${action} <name>`), words)
      .addHelpText('after', `\nExample:\n  toolgate mcp ${action} github`)
      .action(async (name: string, { workspace }: WorkspaceOptions) => {
        const client = await context.connect()
        const { terminal, signal } = context
        const servers = await client.controlMcpServer(action, name, { workspace, signal })
        if (terminal.json) return terminal.printJson(servers)
        for (const { state, reason } of servers)
          terminal.info(`${escapeInvisible(name)}: ${state}${reason ? `, ${escapeInvisible(reason)}` : ''}`)
      })
}

const withWorkspaceOption = (command: Command, words: string) =>
  command.description(words).option('--workspace <name>', "only the server's process for this workspace")
