import { connect, type SetSessionMode } from '../../../client/client.ts'
import { type DiscoveredServer, findLiveServers } from '../../../node-client/discover.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { parseChoice } from '../../exit.ts'
import { httpFetch } from '../../http-fetch.ts'
import type { Terminal } from '../../ui/terminal.ts'

const status: CommandSetup = (command, context) => {
  command
    .description('Show the address and activity of the server of this project.')
    .option('--all', 'list all servers of this machine')
    .option('--format <form>', 'env: print shell variables for eval')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate status\n  toolgate status --all\n  eval "$(toolgate status --format env)"'
    )
    .action(async ({ all, format }: { all?: boolean; format?: string }) => {
      const { terminal, signal, runtime } = context
      if (format !== undefined) parseChoice('--format', format, ['env'])
      if (all) return printServers(terminal, await findLiveServers(runtime.env))
      const found = await context.findServer()
      if (format !== undefined) return terminal.print(`TOOLGATE_URL='${found.url.replaceAll("'", '')}'`)
      const client = connect({ ...found, fetch: httpFetch })
      const [health, state, able, { modes }] = await Promise.all([
        client.health({ signal }),
        client.state({ signal }),
        client.capabilities({ signal }),
        client.modes({ signal })
      ])
      printStatus(terminal, found, {
        version: health.version,
        protocol: health.protocol,
        instance: health.instance,
        head: state.head,
        pending: state.pending.length,
        running: state.running.length,
        jobs: state.jobs.length,
        modes,
        language_servers: able.language_servers as LanguageServer[]
      })
    })
}
export default status

interface ServerStatus {
  version: string
  protocol: number
  instance: string
  head: number
  pending: number
  running: number
  jobs: number
  modes: SetSessionMode[]
  language_servers: LanguageServer[]
}

interface LanguageServer {
  server: string
  root: string
  state: string
  memory_bytes?: number
  reason?: string
}

function printStatus(terminal: Terminal, { url, record }: DiscoveredServer, state: ServerStatus) {
  const known = { pid: record?.pid ?? null, roots: record?.roots ?? [], started_at: record?.started_at ?? null }
  if (terminal.json) return terminal.printJson({ url, ...state, ...known })
  terminal.print(`Toolgate ${state.version} at ${url}${record ? `, pid ${record.pid}` : ''}`)
  for (const root of known.roots) terminal.print(`  serves   ${root}`)
  terminal.print(`  waiting  ${state.pending}`)
  terminal.print(`  running  ${state.running}`)
  terminal.print(`  jobs     ${state.jobs}`)
  if (state.modes.length > 0)
    terminal.print(
      `  modes    ${state.modes.map(({ session_id, mode }) => `${escapeInvisible(session_id)} ${mode}`).join(', ')}`
    )
  for (const server of state.language_servers)
    terminal.print(`  language ${escapeInvisible(formatLanguageServer(server))}`)
}

function formatLanguageServer({ server, root, state, memory_bytes, reason }: LanguageServer) {
  const memory = memory_bytes === undefined ? '' : `, ${Math.round(memory_bytes / MIB)} MiB`
  return `${server} for ${root}: ${state}${memory}${reason === undefined ? '' : `, ${reason}`}`
}

const MIB = 1_048_576

async function printServers(terminal: Terminal, servers: Awaited<ReturnType<typeof findLiveServers>>) {
  const shown = servers.map(({ record }) => {
    const { url, pid, version, roots, started_at } = record
    return { url, pid, version, roots, started_at }
  })
  if (terminal.json) return terminal.printJson(shown)
  const rows = shown.map(({ url, pid, version, roots }) => [url, String(pid), version, roots.join(' ')])
  await terminal.table(['URL', 'PID', 'VERSION', 'ROOTS'], rows)
}
