// The reference MCP server through the built server: what packages are there, and how they are loaded, the bundle decides.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import t, { type Test } from 'tap'
import { project, speak } from './world.ts'

const EVERYTHING = path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js')

/** It listens on a free port, in one of its transports. */
async function listening(t: Test, transport: string): Promise<number> {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as { port: number }
  await new Promise(resolve => free.close(resolve))
  const env = { ...process.env, PORT: String(port) }
  const server = spawn(process.execPath, [EVERYTHING, transport], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  t.teardown(() => server.kill('SIGKILL'))
  await new Promise<void>(resolve => server.stderr.on('data', said => String(said).includes(String(port)) && resolve()))
  return port
}

t.test('a server in each transport has its tools served, and called', async t => {
  const at = project(t)
  const effects = { '*': 'read' }
  const mcp_servers = {
    stdio: { command: process.execPath, args: [EVERYTHING], effects },
    http: { url: `http://127.0.0.1:${await listening(t, 'streamableHttp')}/mcp`, effects },
    sse: { url: `http://127.0.0.1:${await listening(t, 'sse')}/sse`, effects }
  }
  const folder = path.join(at.home, '.config/toolgate')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'config.jsonc'), JSON.stringify({ mcp_servers }))
  const server = speak(await at.serve())
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
})
