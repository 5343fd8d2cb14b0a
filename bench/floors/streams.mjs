// The floor of event streams: a plain Node server that writes one shared buffer to every open answer, for each POST.
// Nothing is stored, filtered or bounded.
import { createServer } from 'node:http'

const FRAME_BYTES = 1_000
const readers = new Set()
let id = 0

const server = createServer((request, response) => {
  if (request.method === 'GET') return follow(response)
  request.resume().on('end', () => {
    const shared = frame(++id)
    for (const reader of readers) reader.write(shared)
    response.writeHead(200, { 'content-length': 20 }).end('{"status":"success"}')
  })
})

/** Sent without a length until the connection ends, like ours. */
function follow(response) {
  response.shouldKeepAlive = false
  response.removeHeader('transfer-encoding')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  response.socket.setNoDelay(true)
  readers.add(response)
  response.on('close', () => readers.delete(response))
}

function frame(number) {
  const head = `id: ${number}\nevent: tool.call\ndata: `
  return Buffer.from(`${head.padEnd(FRAME_BYTES - 2, 'x')}\n\n`)
}

server.keepAliveTimeout = 0
process.on('SIGTERM', () => process.exit(0))
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ event: 'ready', url: `http://127.0.0.1:${server.address().port}` }))
})
