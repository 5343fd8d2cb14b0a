// Fixture: the protocol's reference server, which offers every feature.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import type { Test } from 'tap'
import { within } from '../../support/wait.ts'

/** Its program: uses stdio, or listens on $PORT in the transport named by its argument. */
export const EVERYTHING = path.resolve('test/e2e/node_modules/@modelcontextprotocol/server-everything/dist/index.js')

/** Starts it on a free port and returns that once it listens. */
export async function listenForEverything(t: Test, transport: 'streamableHttp' | 'sse'): Promise<number> {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as { port: number }
  await new Promise(resolve => free.close(resolve))
  const env = { ...process.env, PORT: String(port) }
  const server = spawn(process.execPath, [EVERYTHING, transport], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  t.teardown(() => server.kill('SIGKILL'))
  await within(
    `server-everything to listen on port ${port}`,
    new Promise<void>(resolve => server.stderr.on('data', text => String(text).includes(String(port)) && resolve()))
  )
  return port
}
