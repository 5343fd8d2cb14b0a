// The thread of a health prober: requests one response after the other from each server, until a message ends it.
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Connection, type Endpoint, encodeRequest } from './http.ts'

const PAUSE_MS = 5
const OK = 200

const port = parentPort!
const servers = workerData as readonly Endpoint[]
let unready = servers.length
let isOver = false
once(port, 'message').then(() => {
  isOver = true
})

async function probe(server: Endpoint): Promise<number[]> {
  let connection = await Connection.open(server)
  const request = encodeRequest(server, 'GET', '/health')
  // A server may close a connection just when a request is on its way: like any client, this one opens another.
  const send = () =>
    connection.send(request).catch(async () => {
      connection.close()
      connection = await Connection.open(server)
      return connection.send(request)
    })
  const times: number[] = []
  await send()
  unready -= 1
  if (unready === 0) port.postMessage('ready')
  while (!isOver) {
    const began = performance.now()
    const { status } = await send()
    times.push(performance.now() - began)
    if (status !== OK) throw new Error(`/health answered ${status}`)
    await pause(PAUSE_MS)
  }
  connection.close()
  return times
}

port.postMessage(await Promise.all(servers.map(probe)))
port.close()
