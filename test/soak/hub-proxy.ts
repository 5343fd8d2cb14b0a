// A balancer before processes of a hub: each request goes to the next one. It notes what they acknowledge, and can keep requests away.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { once } from '../support/wait.ts'

const UPLINK = '/uplink/events'

export class HubProxy {
  /** The newest event of each journal that a hub said is stored. */
  readonly acknowledged = new Map<string, number>()
  /** Requests are answered with 503 while it is shut. */
  isShut = false
  readonly #ports: readonly number[]
  readonly #server = createServer((message, reply) => void this.#pass(message, reply))
  #turns = 0

  static async open(ports: readonly number[]): Promise<HubProxy> {
    const proxy = new HubProxy(ports)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  private constructor(ports: readonly number[]) {
    this.#ports = ports
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close() {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #pass(message: IncomingMessage, reply: ServerResponse) {
    if (this.isShut) return void reply.writeHead(503).end('{}')
    const { method, url = '/', headers } = message
    const isBatch = url === UPLINK
    const body = isBatch ? await text(message).catch(() => undefined) : undefined
    if (isBatch && body === undefined) return
    const port = this.#ports[this.#turns++ % this.#ports.length]!
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, async answer => {
      answer.on('error', () => reply.destroy())
      if (!isBatch) {
        reply.writeHead(answer.statusCode!, answer.headers)
        return void answer.pipe(reply)
      }
      const content = await text(answer).catch(() => undefined)
      if (content === undefined) return void reply.destroy()
      if (answer.statusCode === 200) this.#note(JSON.parse(body!).journal_id, JSON.parse(content).stored)
      reply.writeHead(answer.statusCode!, { 'content-type': 'application/json' }).end(content)
    })
    passed.on('error', () => (reply.headersSent ? reply.destroy() : reply.writeHead(502).end('{}')))
    reply.on('close', () => passed.destroy())
    if (isBatch) passed.end(body)
    else message.pipe(passed)
  }

  #note(journal: string, stored: number) {
    this.acknowledged.set(journal, Math.max(stored, this.acknowledged.get(journal) ?? 0))
  }
}
