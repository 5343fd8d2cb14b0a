// How soon after a call is sent its events are read by a subscriber, while nothing else goes on. The floor tells its
// subscriber at once and stores nothing.
import { setTimeout as pause } from 'node:timers/promises'
import type { Ground, Server } from '../environment.ts'
import { Talker, type ToolCall } from '../load-client.ts'
import { inTurns } from '../measure.ts'
import { latencyFindings } from '../measurement.ts'
import { text } from '../sample-text.ts'
import { Subscribers } from '../subscribers.ts'
import type { Row } from './benchmark.ts'

const READS: readonly ToolCall[] = [{ tool: 'read_file', params: { path: '4k.txt' } }]
const WRITES = [1, 2].map(
  (seed): ToolCall => ({ tool: 'write_file', params: { path: 'other.txt', content: text(4_096, seed) } })
)
const IDLE_MS = 5
const SOON = { p50: { bound: 'at most', plus: 1.5 }, p99: { bound: 'at most', plus: 8 } } as const

export default {
  name: 'events',
  async measure(ground) {
    for (const name of ['4k.txt', 'other.txt']) ground.write(name, text(4_096, 0))
    const ours = await ground.ours()
    const samples = ground.many(150, 5)
    const measured = await inTurns(ground.many(5, 1), {
      call: await delays(ground, ours, 'tool.call', READS, samples),
      result: await delays(ground, ours, 'tool.result', READS, samples),
      changed: await delays(ground, ours, 'file.changed', WRITES, samples),
      floor: await delays(ground, await ground.floor('streams'), 'tool.call', READS, samples)
    })
    const { call, result, changed, floor } = measured
    return [
      ...latencyFindings('tool.call at a subscriber after a read is sent', { ours: call, floor }, SOON),
      ...latencyFindings('tool.result at a subscriber after a read is sent', { ours: result, floor }, SOON),
      ...latencyFindings('file.changed at a subscriber after a write is sent', { ours: changed, floor })
    ]
  }
} satisfies Row

/** Opens a subscriber to events of one type. What is given measures from call to event, each time after a pause. */
async function delays(ground: Ground, server: Server, type: string, calls: readonly ToolCall[], samples: number) {
  // A session of its own, so that it hears of no other calls.
  const talker = await Talker.open(
    ground,
    server,
    calls.map(call => ({ ...call, session_id: type }))
  )
  const subscriber = await Subscribers.open(server, `/events?types=${type}&session_id=${type}`, 1)
  ground.onClear(() => subscriber.close())
  return async () => {
    const times: number[] = []
    for (let i = 0; i < samples; i++) {
      await pause(IDLE_MS)
      const before = subscriber.events
      const began = performance.now()
      const told = subscriber.received(before + 1).then(() => performance.now() - began)
      const [time] = await Promise.all([told, talker.say()])
      times.push(time)
    }
    return times
  }
}
