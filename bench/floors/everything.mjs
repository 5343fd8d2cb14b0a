// The protocol's reference server over streamable HTTP. Its log of each request is silenced here, since it would cost time.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'

const probe = createServer().listen(0, '127.0.0.1')
await once(probe, 'listening')
const { port } = probe.address()
probe.close()
await once(probe, 'close')

process.env.PORT = String(port)
console.log = () => {}
await import('../../test/e2e/node_modules/@modelcontextprotocol/server-everything/dist/transports/streamableHttp.js')
const url = `http://127.0.0.1:${port}`
while (!(await fetch(url).catch(() => undefined))) await setTimeout(20)
process.stdout.write(`${JSON.stringify({ url })}\n`)
