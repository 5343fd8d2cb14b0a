import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { parseDuration } from '../../context.ts'
import { parseRole } from '../../roles.ts'
import { formatDue } from '../../ui/format-time.ts'
import { oneLine } from '../../ui/terminal.ts'

interface CreateOptions {
  name?: string
  role: string
  agent?: string
  expires?: string
}

const DAYS_PATTERN = /^(\d+)d$/
const DAY_MS = 86_400_000

const token: CommandSetup = (command, context) => {
  command.description('Create, list and revoke tokens.').addHelpText(
    'after',
    `
Examples:
  toolgate token create --name ci > ci.token
  toolgate token create --agent reviewer --expires 2h
  toolgate token list
  toolgate token revoke tok_…`
  )

  command
    .command('create')
    .description('Create a token. The token is shown only once, because the server stores only its hash.')
    .option('--name <name>', 'name of the token (default: the agent or role)')
    .option('--role <role>', 'role of the token. call: submit calls; approve: also approve and reject calls', 'call')
    .option('--agent <name>', 'bind the token to this agent')
    .option('--expires <duration>', 'lifetime of the token, such as 2h or 30d', '90d')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate token create --name ci > ci.token\n  toolgate token create --agent reviewer --expires 2h'
    )
    .action(async ({ name, role, agent, expires = '90d' }: CreateOptions) => {
      const rights = parseRole(role)
      const expires_in_ms = parseLifetime(expires)
      const client = await context.connect()
      const { terminal, signal } = context
      const wish = { name: name ?? agent ?? role, rights: [...rights], expires_in_ms, ...(agent && { agent }) }
      const given = await client.issueToken(wish, { signal })
      if (terminal.json) return terminal.printJson(given)
      terminal.print(given.token)
      terminal.info(
        `Created ${given.token_id} (${escapeInvisible(wish.name)}), valid until ${formatDue(given.expires_at)}. The token is not shown again.`
      )
    })

  command
    .command('list')
    .description("List valid tokens, without the tokens' secret texts.")
    .addHelpText('after', '\nExamples:\n  toolgate token list\n  toolgate token list --json')
    .action(async () => {
      const client = await context.connect()
      const { terminal, signal } = context
      const all = await client.tokens({ signal })
      if (terminal.json) return terminal.printJson(all)
      if (all.length === 0) return terminal.info('No tokens.')
      const rows = all.map(({ token_id, kind, rights, agent, expires_at, name }) => [
        token_id,
        kind,
        rights.at(-1)!,
        oneLine(agent ?? '-'),
        formatDue(expires_at),
        oneLine(name)
      ])
      await terminal.table(['TOKEN', 'KIND', 'ROLE', 'AGENT', 'EXPIRES', 'NAME'], rows)
    })

  command
    .command('revoke <id...>')
    .description('Revoke tokens and the tokens created with them. Their connections are closed.')
    .addHelpText('after', '\nExamples:\n  toolgate token revoke tok_…')
    .action(async (ids: string[]) => {
      const client = await context.connect()
      const { terminal, signal } = context
      for (const id of ids) {
        const revoked = await client.revokeToken(id, { signal })
        if (terminal.json) terminal.printJson(revoked)
        else terminal.print(`${id} revoked`)
      }
    })
}
export default token

/** Parses any duration, and days. */
function parseLifetime(text: string): number {
  const days = DAYS_PATTERN.exec(text)?.[1]
  return days === undefined ? parseDuration(text) : Number(days) * DAY_MS
}
