// Tests of `toolgate mcp list`, `login`, `logout` and `restart`: the MCP servers of a configuration.
// tier: full
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { SCRIPTED_SERVER } from '../../../host/mcp/scripted-settings.ts'
import { createProject } from '../../toolgate.ts'

t.test('lists and restarts servers', async t => {
  const { toolgate, serve, home } = createProject(t)
  const folder = path.join(home, '.config/toolgate')
  mkdirSync(folder, { recursive: true })
  const write = (mcpServers: object) => writeFileSync(path.join(folder, 'config.jsonc'), JSON.stringify({ mcpServers }))
  write({})
  const server = await serve()
  t.match(await toolgate(['mcp', 'list']), { code: 0, stdout: '', stderr: /No MCP servers are configured/ })
  server.process.stdin.end()
  await server.ended

  write({ one: { command: process.execPath, args: [SCRIPTED_SERVER, 'plain'], sandbox: 'none' } })
  await serve()
  t.match(await toolgate(['mcp', 'restart', 'one']), { code: 0, stderr: 'one: ready\n' })
  t.match(await toolgate(['mcp', 'list']), {
    stdout: /^SERVER +WORKSPACE +OVER +STATE +TOOLS.*\none +default +stdio +ready +\d+\n/
  })
  t.match(JSON.parse((await toolgate(['mcp', 'list', '--json'])).stdout), [{ name: 'one', pid: Number }])
  t.match(await toolgate(['mcp', 'login', 'one']), { code: 6, stderr: /it needs no login/ })
  t.match(await toolgate(['mcp', 'logout', 'none']), { code: 1, stderr: /The MCP server "none" is not running/ })
})
