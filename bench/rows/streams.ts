// Telling 1,000 subscribers: events of 1,000 bytes each, every one of them counted on every stream. The floor writes
// one buffer that all share, and does nothing else. Both are told to by the same client, which also reads the streams.

import type { Ground, Server } from '../environment.ts'
import { spread, Talker, type ToolCall } from '../load-client.ts'
import { inTurns } from '../measure.ts'
import { type Finding, rateFinding } from '../measurement.ts'
import { text } from '../sample-text.ts'
import { Subscribers } from '../subscribers.ts'
import type { Row } from './benchmark.ts'

const STREAMS = 1_000
const FRAME_BYTES = 1_000
const CAUSES_IN_FLIGHT = 8
const READ: ToolCall = { tool: 'read_file', params: { path: 'small.txt' } }

export default {
  name: 'streams',
  async measure(ground): Promise<Finding[]> {
    ground.write('small.txt', text(100, 0))
    const streams = ground.many(STREAMS, 50)
    const events = ground.many(300, 10)
    const server = await ground.ours()
    const call = await callToldIn(FRAME_BYTES, server)
    const ours = await Crowd.open(ground, server, call, streams)
    const floor = await Crowd.open(ground, await ground.floor('streams'), call, streams)
    const rounds = ground.many(3, 1)
    const many = await inTurns(rounds, {
      ours: () => ours.deliveries(events, CAUSES_IN_FLIGHT),
      floor: () => floor.deliveries(events, CAUSES_IN_FLIGHT)
    })
    const single = await inTurns(rounds, {
      ours: () => ours.deliveries(events, 1),
      floor: () => floor.deliveries(events, 1)
    })
    for (const crowd of [ours, floor]) crowd.verify()
    const target = { bound: 'at least', times: 0.6 } as const
    return [
      rateFinding(`deliveries to 1,000 streams, ${CAUSES_IN_FLIGHT} causes in flight`, many, target),
      rateFinding('deliveries to 1,000 streams, one cause at a time', single, target)
    ]
  }
} satisfies Row

/** Many streams of one server, and those who cause events. */
class Crowd {
  readonly #subscribers: Subscribers
  readonly #causes: readonly Talker[]
  readonly #streams: number
  #told = 0

  static async open(ground: Ground, server: Server, call: ToolCall, streams: number) {
    const subscribers = await Subscribers.open(server, '/events?types=tool.call', streams)
    ground.onClear(() => subscribers.close())
    const opening = Array.from({ length: CAUSES_IN_FLIGHT }, () => Talker.open(ground, server, [call]))
    return new Crowd(subscribers, await Promise.all(opening), streams)
  }

  private constructor(subscribers: Subscribers, causes: readonly Talker[], streams: number) {
    this.#subscribers = subscribers
    this.#causes = causes
    this.#streams = streams
  }

  /** Events read on all streams together in a second, from the first cause to the last event. */
  async deliveries(events: number, inFlight: number): Promise<number[]> {
    this.#told += events
    const began = performance.now()
    await spread(this.#causes.slice(0, inFlight), events)
    await this.#subscribers.received(this.#told * this.#streams)
    return [((events * this.#streams) / (performance.now() - began)) * 1_000]
  }

  /** Throws when an event was lost. */
  verify() {
    this.#subscribers.verify(this.#told)
  }
}

/** A call whose tool.call is told in a frame of so many bytes. */
async function callToldIn(bytes: number, { host, port, token }: Server): Promise<ToolCall> {
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
