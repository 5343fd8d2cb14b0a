// Delivery to 1,000 subscribers: events of 1,000 bytes, each counted on every stream. The floor writes one shared buffer and does
// nothing else. The same client triggers the events of both and reads the streams.

import type { BenchEnvironment, BenchServer } from '../environment.ts'
import { LoadClient, sendAll, type ToolCall } from '../load-client.ts'
import { interleave } from '../measure.ts'
import { type Measurement, rateMeasurement } from '../measurement.ts'
import { generateText } from '../sample-text.ts'
import { Subscribers } from '../subscribers.ts'
import type { Benchmark } from './benchmark.ts'

const STREAMS = 1_000
const FRAME_BYTES = 1_000
const CALLS_IN_FLIGHT = 8
const READ: ToolCall = { tool: 'read_file', params: { path: 'small.txt' } }

export default {
  name: 'streams',
  async measure(ground): Promise<Measurement[]> {
    ground.write('small.txt', generateText(100, 0))
    const streams = ground.scale(STREAMS, 50)
    const events = ground.scale(300, 10)
    const server = await ground.startToolgate()
    const call = await callWithEventSize(FRAME_BYTES, server)
    const ours = await StreamLoad.open(ground, server, call, streams)
    const floor = await StreamLoad.open(ground, await ground.startFloor('streams'), call, streams)
    const rounds = ground.scale(3, 1)
    const many = await interleave(rounds, {
      ours: () => ours.measureDeliveries(events, CALLS_IN_FLIGHT),
      floor: () => floor.measureDeliveries(events, CALLS_IN_FLIGHT)
    })
    const single = await interleave(rounds, {
      ours: () => ours.measureDeliveries(events, 1),
      floor: () => floor.measureDeliveries(events, 1)
    })
    for (const crowd of [ours, floor]) crowd.verify()
    const target = { bound: 'at least', times: 0.6 } as const
    return [
      rateMeasurement(`deliveries to 1,000 streams, ${CALLS_IN_FLIGHT} causes in flight`, many, target),
      rateMeasurement('deliveries to 1,000 streams, one cause at a time', single, target)
    ]
  }
} satisfies Benchmark

/** Many streams of one server, and the clients that trigger events. */
class StreamLoad {
  readonly #subscribers: Subscribers
  readonly #clients: readonly LoadClient[]
  readonly #streams: number
  #expected = 0

  static async open(ground: BenchEnvironment, server: BenchServer, call: ToolCall, streams: number) {
    const subscribers = await Subscribers.open(server, '/events?types=tool.call', streams)
    ground.onCleanup(() => subscribers.close())
    const opening = Array.from({ length: CALLS_IN_FLIGHT }, () => LoadClient.open(ground, server, [call]))
    return new StreamLoad(subscribers, await Promise.all(opening), streams)
  }

  private constructor(subscribers: Subscribers, causes: readonly LoadClient[], streams: number) {
    this.#subscribers = subscribers
    this.#clients = causes
    this.#streams = streams
  }

  /** Returns events per second over all streams, from the first trigger to the last event. */
  async measureDeliveries(events: number, inFlight: number): Promise<number[]> {
    this.#expected += events
    const began = performance.now()
    await sendAll(this.#clients.slice(0, inFlight), events)
    await this.#subscribers.received(this.#expected * this.#streams)
    return [((events * this.#streams) / (performance.now() - began)) * 1_000]
  }

  /** Throws if an event was lost. */
  verify() {
    this.#subscribers.verify(this.#expected)
  }
}

/** Returns a call whose tool.call event has a frame of this many bytes. */
async function callWithEventSize(bytes: number, { host, port, token }: BenchServer): Promise<ToolCall> {
  const response = await fetch(`http://${host}:${port}/calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ ...READ, context: '.' })
  })
  const frames = (await response.text()).split('\n\n')
  const frame = frames.find(text => text.includes('event: tool.call\n'))
  if (frame === undefined) throw new Error('a call was not told')
  return { ...READ, context: '.'.repeat(Math.max(1, 1 + bytes - frame.length - '\n\n'.length)) }
}
