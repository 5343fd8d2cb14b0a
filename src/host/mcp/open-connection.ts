// Opens the connection to a server, as configured.
import type { Config } from '../../config/schema.ts'
import type { EgressPolicy } from '../egress/guarded-connect.ts'
import type { Workspace } from '../workspace.ts'
import { rememberChallenges } from './challenge.ts'
import type { McpConnection } from './connection.ts'
import { McpConfigurationError } from './errors.ts'
import { expandEnv, expandEnvValues } from './expand-env.ts'
import type { TransportKind } from './handshake.ts'
import { createMcpHttpClient } from './http-client.ts'
import { createAuthProvider } from './oauth.ts'
import { ProcessConnection } from './process-connection.ts'
import { RemoteConnection } from './remote-connection.ts'
import { type McpProcessStarter, startMcpProcess } from './start-mcp-process.ts'
import type { McpTokenStore } from './token-store.ts'
import type { McpServerEntry } from './workspace-mcp-server.ts'

export interface McpConnectOptions extends McpProcessStarter {
  settings: Config['mcp']
  tokenStore: McpTokenStore
  egressPolicy(): EgressPolicy
}

/** Rejects with `McpConfigurationError` if the configuration is invalid. */
export async function openConnection(
  transport: TransportKind,
  entry: McpServerEntry,
  workspace: Workspace,
  opening: McpConnectOptions
): Promise<McpConnection> {
  const { config, isFromWorkspace } = entry
  const { environment, settings, tokenStore } = opening
  const error = configurationError(entry)
  if (error) throw new McpConfigurationError(error)
  if (transport === 'stdio')
    return new ProcessConnection(await startMcpProcess(config, workspace, opening), settings.max_result_bytes)
  const url = expandEnv(config.url!, environment)
  const { fetch, close } = await createMcpHttpClient({
    environment,
    serverUrl: url,
    isUntrustedUrl: isFromWorkspace,
    egressPolicy: opening.egressPolicy(),
    maxBytes: settings.max_result_bytes
  })
  return RemoteConnection.open(transport, {
    url,
    headers: expandEnvValues(config.headers, environment),
    httpClient: { fetch: rememberChallenges(fetch, url, tokenStore.forServer(entry.name, url)), close },
    auth: await createAuthProvider(entry, { url, environment, tokenStore })
  })
}

/** Checks constraints that the schema does not express. */
function configurationError({ config: { command, url, type } }: McpServerEntry): string | undefined {
  if (command === undefined && url === undefined)
    return "the server's entry needs a `command` to start or a `url` to connect to"
  if (command !== undefined && url !== undefined)
    return "the server's entry has both a `command` and a `url`: remove one of them"
  if (command !== undefined && type !== undefined && type !== 'stdio')
    return `the server's entry has a \`command\`, which type ${type} does not allow`
  if (url !== undefined && type === 'stdio') return "the server's entry has a `url`, which type stdio does not allow"
  return undefined
}
