// Configures the servers of a test like the user's configuration, and waits until they are connected.
import path from 'node:path'
import type { Contribution } from '../../../src/config/contributions.ts'
import type { McpServer } from '../../../src/config/mcp.ts'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Config } from '../../../src/config/schema.ts'
import type { Json, TestApp } from '../../start-app.ts'

export const SCRIPTED_SERVER = path.resolve('test/host/mcp/scripted-server.ts')

/** Configures the scripted server in one of its modes. */
export const scriptedServer = (mode = 'plain', more: McpServer = {}, ...args: string[]): McpServer => ({
  command: process.execPath,
  args: [SCRIPTED_SERVER, mode, ...args],
  ...more
})

export const contributionOf = (
  mcp_servers: Record<string, McpServer>,
  more: Partial<Contribution> = {}
): Contribution => ({
  trusted: true,
  command_tools: {},
  hooks: [],
  mcp_servers,
  ...more
})

export const withMcpServers = (servers: Record<string, McpServer>, mcp: Partial<Config['mcp']> = {}) => ({
  brought: [contributionOf(servers)],
  mcp: { ...defaultSettings().mcp, ...mcp }
})

export const getServerState = async (app: TestApp, name: string): Promise<Json> =>
  (await app.get('/capabilities')).mcp_servers.find((server: Json) => server.name === name)

/** Resolves with a server's state once it is the wanted one, or with the event about it if the state has passed. */
export async function waitForState(app: TestApp, name: string, wanted: string): Promise<Json> {
  const events = await app.events('?types=mcp.changed')
  try {
    for (;;) {
      const state = await getServerState(app, name)
      if (state?.state === wanted) return state
      const changed = (await events.type('mcp.changed', event => event.name === name)).at(-1)
      if (changed.state === wanted) {
        const now = await getServerState(app, name)
        return now?.state === wanted ? now : changed
      }
    }
  } finally {
    events.close()
  }
}

export const waitUntilReady = (app: TestApp, name: string) => waitForState(app, name, 'ready')
