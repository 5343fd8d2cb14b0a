// A client that repeats requests, and the latency and throughput it measures.
import type { BenchEnvironment } from './environment.ts'
import { Connection, type Endpoint, encodeRequest, type Reply } from './http.ts'
import { timeEach } from './measure.ts'

const SUCCESS = Buffer.from('"status":"success"')

/** A tool call, accepted by the server and the floors alike. */
export interface ToolCall {
  tool: string
  params: Readonly<Record<string, unknown>>
  session_id?: string
  context?: string
}

export interface LoadClientOptions {
  /** Path of the calls endpoint. */
  target?: string
  headers?: Readonly<Record<string, string | number>>
}

/** A client with one request in flight at a time. */
export interface Requester {
  say(): Promise<unknown>
}

/** One connection over which calls are made in turn. */
export class LoadClient implements Requester {
  readonly #connection: Connection
  readonly #requests: readonly Buffer[]
  #sent = 0

  static async open(
    ground: BenchEnvironment,
    server: Endpoint,
    calls: readonly ToolCall[],
    { target = '/calls', headers = {} }: LoadClientOptions = {}
  ): Promise<LoadClient> {
    const connection = await Connection.open(server)
    ground.onCleanup(() => connection.close())
    const requests = calls.map(call => encodeRequest(server, 'POST', target, headers, JSON.stringify(call)))
    return new LoadClient(connection, requests)
  }

  private constructor(connection: Connection, requests: readonly Buffer[]) {
    this.#connection = connection
    this.#requests = requests
  }

  /** Makes the next call. A failed response ends the benchmark: its time would mean nothing. */
  async say(): Promise<Reply> {
    const reply = await this.#connection.send(this.#requests[this.#sent++ % this.#requests.length]!)
    if (reply.status !== 200 || !reply.body.includes(SUCCESS))
      throw new Error(`answered ${reply.status}: ${reply.body.subarray(0, 600)}`)
    return reply
  }
}

/** Returns the milliseconds of each of this many sequential calls. */
export const measureLatencies = (talker: Requester, count: number) => timeEach(count, () => talker.say())

/** Returns responses per second while each client has one call in flight. */
export async function measureThroughput(talkers: readonly Requester[], duration_ms: number): Promise<number[]> {
  const began = performance.now()
  let answers = 0
  const until = async (talker: Requester) => {
    while (performance.now() - began < duration_ms) {
      await talker.say()
      answers++
    }
  }
  await Promise.all(talkers.map(until))
  return [(answers / (performance.now() - began)) * 1_000]
}

/** Makes this many calls in total, one in flight for each client. */
export async function sendAll(talkers: readonly Requester[], count: number): Promise<void> {
  let left = count
  const work = async (talker: Requester) => {
    while (left-- > 0) await talker.say()
  }
  await Promise.all(talkers.map(work))
}
