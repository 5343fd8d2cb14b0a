// Reading 4 KB, over and over the same file: once as it is, where answers are kept, and once with kept answers refused.
import { contest, IN_FLIGHT, talkers } from '../comparison.ts'
import { latencies, type ToolCall, throughput } from '../load-client.ts'
import { inTurns } from '../measure.ts'
import { latencyFindings, rateFinding } from '../measurement.ts'
import { text } from '../sample-text.ts'
import type { Row } from './benchmark.ts'

const READ: readonly ToolCall[] = [{ tool: 'read_file', params: { path: '4k.txt' } }]
const FRESH = { 'cache-control': 'no-cache' }

const QUICK_ENOUGH = { p50: { bound: 'at most', times: 2 } } as const
const MANY_ENOUGH = { bound: 'at least', times: 0.35 } as const

export default {
  name: 'read',
  async measure(ground) {
    ground.write('4k.txt', text(4_096, 1))
    const { talkOurs, talkFloor } = await contest(ground, '/read', READ)
    const one = { ours: await talkOurs(READ), fresh: await talkOurs(READ, FRESH), floor: await talkFloor(READ) }
    const samples = ground.many(800, 20)
    const { fresh, ...single } = await inTurns(ground.many(7, 2), {
      ours: () => latencies(one.ours, samples),
      fresh: () => latencies(one.fresh, samples),
      floor: () => latencies(one.floor, samples)
    })
    const many = {
      ours: await talkers(() => talkOurs(READ)),
      fresh: await talkers(() => talkOurs(READ, FRESH)),
      floor: await talkers(() => talkFloor(READ))
    }
    const duration_ms = ground.many(1_000, 50)
    const { fresh: freshLoad, ...load } = await inTurns(ground.many(5, 1), {
      ours: () => throughput(many.ours, duration_ms),
      fresh: () => throughput(many.fresh, duration_ms),
      floor: () => throughput(many.floor, duration_ms)
    })
    return [
      ...latencyFindings('read 4 KB', single, QUICK_ENOUGH),
      rateFinding(`read 4 KB, ${IN_FLIGHT} in flight`, load, MANY_ENOUGH),
      ...latencyFindings('read 4 KB, no kept answer', { ...single, ours: fresh }, QUICK_ENOUGH),
      rateFinding(`read 4 KB, no kept answer, ${IN_FLIGHT} in flight`, { ...load, ours: freshLoad }, MANY_ENOUGH)
    ]
  }
} satisfies Row
