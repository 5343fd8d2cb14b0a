// Delay from sending a call to a subscriber's receipt of its events, on an idle server. The floor publishes at once and stores
// nothing.
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchEnvironment, BenchServer } from '../environment.ts'
import { LoadClient, type ToolCall } from '../load-client.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements } from '../measurement.ts'
import { generateText } from '../sample-text.ts'
import { Subscribers } from '../subscribers.ts'
import type { Benchmark } from './benchmark.ts'

const READS: readonly ToolCall[] = [{ tool: 'read_file', params: { path: '4k.txt' } }]
const WRITES = [1, 2].map(
  (seed): ToolCall => ({ tool: 'write_file', params: { path: 'other.txt', content: generateText(4_096, seed) } })
)
const IDLE_MS = 5
const LATENCY_TARGETS = { p50: { bound: 'at most', plus: 1.5 }, p99: { bound: 'at most', plus: 8 } } as const

export default {
  name: 'events',
  async measure(ground) {
    for (const name of ['4k.txt', 'other.txt']) ground.write(name, generateText(4_096, 0))
    const ours = await ground.startToolgate()
    const samples = ground.scale(150, 5)
    const measured = await interleave(ground.scale(5, 1), {
      call: await measureDelays(ground, ours, 'tool.call', READS, samples),
      result: await measureDelays(ground, ours, 'tool.result', READS, samples),
      changed: await measureDelays(ground, ours, 'file.changed', WRITES, samples),
      floor: await measureDelays(ground, await ground.startFloor('streams'), 'tool.call', READS, samples)
    })
    const { call, result, changed, floor } = measured
    return [
      ...latencyMeasurements('tool.call at a subscriber after a read is sent', { ours: call, floor }, LATENCY_TARGETS),
      ...latencyMeasurements(
        'tool.result at a subscriber after a read is sent',
        { ours: result, floor },
        LATENCY_TARGETS
      ),
      ...latencyMeasurements('file.changed at a subscriber after a write is sent', { ours: changed, floor })
    ]
  }
} satisfies Benchmark

/** Subscribes to events of one type. Returns a function that measures from call to event, each time after a pause. */
async function measureDelays(
  ground: BenchEnvironment,
  server: BenchServer,
  type: string,
  calls: readonly ToolCall[],
  samples: number
) {
  // A session filter, so that it receives no other calls.
  const talker = await LoadClient.open(
    ground,
    server,
    calls.map(call => ({ ...call, session_id: type }))
  )
  const subscriber = await Subscribers.open(server, `/events?types=${type}&session_id=${type}`, 1)
  ground.onCleanup(() => subscriber.close())
  return async () => {
    const times: number[] = []
    for (let i = 0; i < samples; i++) {
      await pause(IDLE_MS)
      const before = subscriber.events
      const began = performance.now()
      const delivery = subscriber.received(before + 1).then(() => performance.now() - began)
      const [time] = await Promise.all([delivery, talker.say()])
      times.push(time)
    }
    return times
  }
}
