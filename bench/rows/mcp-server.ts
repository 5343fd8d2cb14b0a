// A tool that does next to nothing, called over /mcp: ours, which judges, records and tells each call, against the echo of
// the protocol's reference server, which does none of that. Both over sessions, from the same client.
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { IN_FLIGHT } from '../comparison.ts'
import type { Ground, Server } from '../environment.ts'
import type { Endpoint } from '../http.ts'
import { type Asking, latencies, throughput } from '../load-client.ts'
import { inTurns } from '../measure.ts'
import { latencyFindings, rateFinding } from '../measurement.ts'
import type { Row } from './benchmark.ts'

const OURS = { name: 'todo_read', arguments: {} }
const THEIRS = { name: 'echo', arguments: { message: 'hello' } }
const INTRODUCTION = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }

const AS_MANY = { bound: 'at least', times: 1 } as const

export default {
  name: 'mcp-server',
  async measure(ground) {
    const ours = await ground.ours()
    const floor = await ground.floor('everything')
    const one = { ours: await McpTalker.open(ground, ours, OURS), floor: await McpTalker.open(ground, floor, THEIRS) }
    const samples = ground.many(500, 20)
    const single = await inTurns(ground.many(7, 2), {
      ours: () => latencies(one.ours, samples),
      floor: () => latencies(one.floor, samples)
    })
    const many = { ours: await crowd(ground, ours, OURS), floor: await crowd(ground, floor, THEIRS) }
    const duration_ms = ground.many(2_000, 50)
    const load = await inTurns(ground.many(5, 1), {
      ours: () => throughput(many.ours, duration_ms),
      floor: () => throughput(many.floor, duration_ms)
    })
    return [
      ...latencyFindings('a call over /mcp', single),
      rateFinding(`calls over /mcp, ${IN_FLIGHT} in flight`, load, AS_MANY)
    ]
  }
} satisfies Row

const crowd = (ground: Ground, server: Server, call: object) =>
  Promise.all(Array.from({ length: IN_FLIGHT }, () => McpTalker.open(ground, server, call)))

/** A session of its own, with one request at a time. The reference answers by streams without a length, so that both are
 * read by Node's own client. */
class McpTalker implements Asking {
  readonly #server: Endpoint
  readonly #call: object
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #session = ''
  #id = 0

  static async open(ground: Ground, server: Endpoint, call: object): Promise<McpTalker> {
    const talker = new McpTalker(server, call)
    ground.onClear(() => talker.#agent.destroy())
    const { headers } = await talker.#ask('initialize', INTRODUCTION)
    talker.#session = String(headers['mcp-session-id'])
    return talker
  }

  private constructor(server: Endpoint, call: object) {
    this.#server = server
    this.#call = call
  }

  async say(): Promise<void> {
    const { body } = await this.#ask('tools/call', this.#call)
    if (!body.includes('"result"') || body.includes('"isError":true')) throw new Error(`answered ${body.slice(0, 600)}`)
  }

  async #ask(method: string, params: object): Promise<{ body: string; headers: IncomingMessage['headers'] }> {
    const { host, port, token } = this.#server
    const message = JSON.stringify({ jsonrpc: '2.0', id: this.#id++, method, params })
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const sent = request({
      host,
      port,
      agent: this.#agent,
      method: 'POST',
      path: '/mcp',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(message),
        accept: 'application/json, text/event-stream',
        ...(this.#session && { 'mcp-session-id': this.#session })
      }
    })
    sent.once('response', resolve).once('error', reject).end(message)
    const answer = await promise
    const body = await text(answer)
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}: ${body.slice(0, 600)}`)
    return { body, headers: answer.headers }
  }
}
