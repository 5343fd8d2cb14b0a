// Opens the way to a server, as its entry says.
import type { McpSettings } from '../../config/mcp.ts'
import type { Guarding } from '../egress/guarded-connect.ts'
import type { Workspace } from '../host.ts'
import type { Link } from './connection.ts'
import { Hopeless } from './errors.ts'
import { allExpanded, expanded } from './expand-env.ts'
import type { Transport } from './handshake.ts'
import { fetcher } from './http-client.ts'
import { providerFor } from './oauth.ts'
import { ProcessLink } from './process-connection.ts'
import { RemoteLink } from './remote-connection.ts'
import { type ProcessStarter, startProcess } from './start-mcp-process.ts'
import type { Logins } from './token-store.ts'
import type { Entry } from './workspace-mcp-server.ts'

export interface Opening extends ProcessStarter {
  settings: McpSettings
  logins: Logins
  guarding(): Guarding
}

/** Rejects with `Hopeless` where it cannot be as it is configured. */
export async function openLink(
  transport: Transport,
  entry: Entry,
  workspace: Workspace,
  opening: Opening
): Promise<Link> {
  const { config, from_workspace } = entry
  const { environment, settings, logins } = opening
  const fault = faultIn(entry)
  if (fault) throw new Hopeless(fault)
  if (transport === 'stdio')
    return new ProcessLink(await startProcess(config, workspace, opening), settings.max_result_bytes)
  const url = expanded(config.url!, environment)
  return RemoteLink.over(transport, {
    url,
    headers: allExpanded(config.headers, environment),
    fetcher: await fetcher({
      environment,
      home: url,
      named_by_others: from_workspace,
      guarding: opening.guarding(),
      max_bytes: settings.max_result_bytes
    }),
    auth: await providerFor(entry, { url, environment, logins })
  })
}

/** What cannot be about an entry; the schema says the rest. */
function faultIn({ config: { command, url, type } }: Entry): string | undefined {
  if (command === undefined && url === undefined) return 'its entry needs a `command` to start or a `url` to reach'
  if (command !== undefined && url !== undefined) return 'its entry has both a `command` and a `url`: take one out'
  if (command !== undefined && type !== undefined && type !== 'stdio')
    return `its entry has a \`command\`, which type ${type} is not for`
  if (url !== undefined && type === 'stdio') return 'its entry has a `url`, which type stdio is not for'
  return undefined
}
