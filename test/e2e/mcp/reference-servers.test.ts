// Tests with the reference MCP server through the built server, whose packages and loading depend on the bundle.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { connectWithCurl, createGitProject } from '../../acceptance/fixture.ts'
import { needs } from '../../support/needs.ts'
import { EVERYTHING, listenForEverything } from './everything.ts'

t.test(
  'serves and calls the tools of a server in each transport',
  needs('@modelcontextprotocol/server-everything'),
  async t => {
    const at = createGitProject(t)
    const effects = { '*': 'read' }
    const mcp_servers = {
      stdio: { command: process.execPath, args: [EVERYTHING], effects },
      http: { url: `http://127.0.0.1:${await listenForEverything(t, 'streamableHttp')}/mcp`, effects },
      sse: { url: `http://127.0.0.1:${await listenForEverything(t, 'sse')}/sse`, effects }
    }
    const folder = path.join(at.home, '.config/toolgate')
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, 'config.jsonc'), JSON.stringify({ mcp_servers }))
    const server = connectWithCurl(await at.serve())
    for (const name of Object.keys(mcp_servers)) {
      // A call to a server that is still starting waits for it.
      const { body } = await server.call('mcp_tool', { server: name, tool: 'echo', arguments: { message: 'hello' } })
      t.match(body, { status: 'success', result: { content: 'Echo: hello' } }, name)
    }
    const { mcp_servers: served } = await server.get('/capabilities')
    t.match(served, [
      { name: 'stdio', transport: 'stdio', state: 'ready', tools: Number },
      { name: 'http', transport: 'http', state: 'ready', tools: Number },
      { name: 'sse', transport: 'sse', state: 'ready', tools: Number }
    ])
    t.ok(
      served.every(({ tools }: { tools: number }) => tools > 10),
      'all of their tools'
    )
  }
)
