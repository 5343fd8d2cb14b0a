// The protocol's reference server, as it comes, over streamable HTTP. It tells each request on its output, which would
// cost it time: here it keeps silent.
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
