// A trivial tool called over /mcp: ours, which evaluates, records and publishes each call, against the echo of the protocol's
// reference server, which does none of that. Both over sessions, from the same client.
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { IN_FLIGHT } from '../comparison.ts'
import type { BenchEnvironment, BenchServer } from '../environment.ts'
import type { Endpoint } from '../http.ts'
import { measureLatencies, measureThroughput, type Requester } from '../load-client.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements, rateMeasurement } from '../measurement.ts'
import type { Benchmark } from './benchmark.ts'

const OUR_TOOL = { name: 'todo_read', arguments: {} }
const REFERENCE_TOOL = { name: 'echo', arguments: { message: 'hello' } }
const INITIALIZE_PARAMS = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' }
}

const RATE_TARGET = { bound: 'at least', times: 1 } as const

export default {
  name: 'mcp-server',
  async measure(ground) {
    const ours = await ground.startToolgate()
    const floor = await ground.startFloor('everything')
    const one = {
      ours: await McpLoadClient.open(ground, ours, OUR_TOOL),
      floor: await McpLoadClient.open(ground, floor, REFERENCE_TOOL)
    }
    const samples = ground.scale(500, 20)
    const single = await interleave(ground.scale(7, 2), {
      ours: () => measureLatencies(one.ours, samples),
      floor: () => measureLatencies(one.floor, samples)
    })
    const many = {
      ours: await openSessions(ground, ours, OUR_TOOL),
      floor: await openSessions(ground, floor, REFERENCE_TOOL)
    }
    const duration_ms = ground.scale(2_000, 50)
    const load = await interleave(ground.scale(5, 1), {
      ours: () => measureThroughput(many.ours, duration_ms),
      floor: () => measureThroughput(many.floor, duration_ms)
    })
    return [
      ...latencyMeasurements('a call over /mcp', single),
      rateMeasurement(`calls over /mcp, ${IN_FLIGHT} in flight`, load, RATE_TARGET)
    ]
  }
} satisfies Benchmark

const openSessions = (ground: BenchEnvironment, server: BenchServer, call: object) =>
  Promise.all(Array.from({ length: IN_FLIGHT }, () => McpLoadClient.open(ground, server, call)))

/**
 * One session with one request at a time. The reference server streams its responses without a length, so that both are read by
 * Node's own client.
 */
class McpLoadClient implements Requester {
  readonly #server: Endpoint
  readonly #call: object
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #session = ''
  #id = 0

  static async open(ground: BenchEnvironment, server: Endpoint, call: object): Promise<McpLoadClient> {
    const talker = new McpLoadClient(server, call)
    ground.onCleanup(() => talker.#agent.destroy())
    const { headers } = await talker.#request('initialize', INITIALIZE_PARAMS)
    talker.#session = String(headers['mcp-session-id'])
    return talker
  }

  private constructor(server: Endpoint, call: object) {
    this.#server = server
    this.#call = call
  }

  async say(): Promise<void> {
    const { body } = await this.#request('tools/call', this.#call)
    if (!body.includes('"result"') || body.includes('"isError":true')) throw new Error(`answered ${body.slice(0, 600)}`)
  }

  async #request(method: string, params: object): Promise<{ body: string; headers: IncomingMessage['headers'] }> {
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
