// Servers that a test brings, as the user's configuration would, and waiting until they are there.
import path from 'node:path'
import type { Brought } from '../../../src/config/contributions.ts'
import type { McpServer, McpSettings } from '../../../src/config/mcp.ts'
import { defaults } from '../../../src/config/merge.ts'
import { Config } from '../../../src/config/schema.ts'
import type { Json, TestApp } from '../../start-app.ts'

export const SCRIPTED = path.resolve('test/host/mcp/scripted-server.ts')

/** The scripted server in one of its modes. */
export const scripted = (mode = 'plain', more: McpServer = {}, ...args: string[]): McpServer => ({
  command: process.execPath,
  args: [SCRIPTED, mode, ...args],
  ...more
})

export const broughtOf = (mcp_servers: Record<string, McpServer>, more: Partial<Brought> = {}): Brought => ({
  trusted: true,
  command_tools: {},
  hooks: [],
  mcp_servers,
  ...more
})

export const bringing = (servers: Record<string, McpServer>, mcp: Partial<McpSettings> = {}) => ({
  brought: [broughtOf(servers)],
  mcp: { ...defaults(Config).mcp, ...mcp }
})

export const stateOf = async (app: TestApp, name: string): Promise<Json> =>
  (await app.get('/capabilities')).mcp_servers.find((server: Json) => server.name === name)

/** How things stand with a server once they stand so. */
export async function until(app: TestApp, name: string, wanted: string): Promise<Json> {
  const events = await app.events('?types=mcp.changed')
  try {
    for (;;) {
      const state = await stateOf(app, name)
      if (state?.state === wanted) return state
      await events.type('mcp.changed', event => event.name === name)
    }
  } finally {
    events.close()
  }
}

export const ready = (app: TestApp, name: string) => until(app, name, 'ready')
