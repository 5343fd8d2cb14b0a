// The MCP servers whose tools are served: list them, log in and out, start one anew.
import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { safe } from '../../ui/terminal.ts'

interface Which {
  workspace?: string
}

export function addServerVerbs(command: Command, context: Context) {
  command
    .command('list')
    .description('List configured MCP servers and their status.')
    .addHelpText('after', '\nExample:\n  toolgate mcp list')
    .action(async () => {
      const client = await context.connect()
      const { terminal, signal } = context
      const servers = await client.mcpServers({ signal })
      if (terminal.json) return terminal.outJson(servers)
      if (servers.length === 0) return terminal.say('No MCP servers are configured (setting: mcp_servers).')
      const rows = servers.map(({ name, workspace, transport, state, tools, reason = '' }) =>
        [name, workspace, transport, state, String(tools), reason].map(safe)
      )
      terminal.table(['SERVER', 'WORKSPACE', 'OVER', 'STATE', 'TOOLS', ''], rows)
    })

  which(command.command('login <name>'), 'Log in to a remote MCP server, with a browser on this machine.')
    .addHelpText('after', '\nExample:\n  toolgate mcp login github')
    .action(async (name: string, { workspace }: Which) => {
      const client = await context.connect()
      const { terminal, signal } = context
      const { authorization_url, expires_at } = await client.mcpLogin(name, { workspace, signal })
      if (terminal.json) return terminal.outJson({ authorization_url, expires_at })
      terminal.say('To log in, open this address in a browser on this machine:')
      terminal.out(safe(authorization_url))
    })

  for (const [verb, words] of [
    ['logout', 'Log out of a remote MCP server: delete its stored credentials.'],
    ['restart', 'Restart an MCP server.']
  ] as const)
    which(command.command(`${verb} <name>`), words)
      .addHelpText('after', `\nExample:\n  toolgate mcp ${verb} github`)
      .action(async (name: string, { workspace }: Which) => {
        const client = await context.connect()
        const { terminal, signal } = context
        const servers = await client.mcpServer(verb, name, { workspace, signal })
        if (terminal.json) return terminal.outJson(servers)
        for (const { state, reason } of servers)
          terminal.say(`${safe(name)}: ${state}${reason ? `, ${safe(reason)}` : ''}`)
      })
}

const which = (command: Command, words: string) =>
  command.description(words).option('--workspace <name>', 'only its instance for this workspace')
