import { duration } from './context.ts'
import { rightsOf } from './role.ts'
import type { Verb } from './run.ts'
import { oneLine, safe } from './terminal.ts'
import { due } from './times.ts'

interface CreateOptions {
  name?: string
  role: string
  agent?: string
  expires?: string
}

const DAYS = /^(\d+)d$/
const DAY_MS = 86_400_000

const token: Verb = (command, context) => {
  command.description('Give out tokens, list and revoke them.').addHelpText(
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
    .description('Give out a token. It is printed this once; the server keeps only its digest.')
    .option('--name <name>', 'what you call it (default: the agent, or the role)')
    .option('--role <role>', 'call, or approve: decide too', 'call')
    .option('--agent <name>', 'its bearer calls as this agent and no other')
    .option('--expires <duration>', 'how long it counts, such as 2h or 30d', '90d')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate token create --name ci > ci.token\n  toolgate token create --agent reviewer --expires 2h'
    )
    .action(async ({ name, role, agent, expires = '90d' }: CreateOptions) => {
      const rights = rightsOf(role)
      const expires_in_ms = lifetime(expires)
      const client = await context.connect()
      const { terminal, signal } = context
      const wish = { name: name ?? agent ?? role, rights: [...rights], expires_in_ms, ...(agent && { agent }) }
      const given = await client.issueToken(wish, { signal })
      if (terminal.json) return terminal.outJson(given)
      terminal.out(given.token)
      terminal.say(
        `${given.token_id} is called ${safe(wish.name)}, and counts until ${due(given.expires_at)}. It is not shown again.`
      )
    })

  command
    .command('list')
    .description('List the tokens that count, without their texts.')
    .addHelpText('after', '\nExamples:\n  toolgate token list\n  toolgate token list --json')
    .action(async () => {
      const client = await context.connect()
      const { terminal, signal } = context
      const all = await client.tokens({ signal })
      if (terminal.json) return terminal.outJson(all)
      if (all.length === 0) return terminal.say('No token is given out.')
      const rows = all.map(({ token_id, kind, rights, agent, expires_at, name }) => [
        token_id,
        kind,
        rights.at(-1)!,
        oneLine(agent ?? '-'),
        due(expires_at),
        oneLine(name)
      ])
      terminal.table(['TOKEN', 'KIND', 'ROLE', 'AGENT', 'EXPIRES', 'NAME'], rows)
    })

  command
    .command('revoke <id...>')
    .description('Revoke tokens and what was made with them; what they have open ends.')
    .addHelpText('after', '\nExamples:\n  toolgate token revoke tok_…')
    .action(async (ids: string[]) => {
      const client = await context.connect()
      const { terminal, signal } = context
      for (const id of ids) {
        const revoked = await client.revokeToken(id, { signal })
        if (terminal.json) terminal.outJson(revoked)
        else terminal.out(`${id} revoked`)
      }
    })
}
export default token

/** As every duration, and in days. */
function lifetime(text: string): number {
  const days = DAYS.exec(text)?.[1]
  return days === undefined ? duration(text) : Number(days) * DAY_MS
}
