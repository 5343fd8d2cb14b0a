// Reads 4 KB of the same file repeatedly: once with the cache, and once with cached results refused.
import { IN_FLIGHT, openClients, startComparison } from '../comparison.ts'
import { measureLatencies, measureThroughput, type ToolCall } from '../load-client.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements, rateMeasurement } from '../measurement.ts'
import { generateText } from '../sample-text.ts'
import type { Benchmark } from './benchmark.ts'

const READ: readonly ToolCall[] = [{ tool: 'read_file', params: { path: '4k.txt' } }]
const FRESH = { 'cache-control': 'no-cache' }

const LATENCY_TARGETS = { p50: { bound: 'at most', times: 2 } } as const
const RATE_TARGET = { bound: 'at least', times: 0.35 } as const

export default {
  name: 'read',
  async measure(ground) {
    ground.write('4k.txt', generateText(4_096, 1))
    const { connectOurs, connectFloor } = await startComparison(ground, '/read', READ)
    const one = {
      ours: await connectOurs(READ),
      fresh: await connectOurs(READ, FRESH),
      floor: await connectFloor(READ)
    }
    const samples = ground.scale(800, 20)
    const { fresh, ...single } = await interleave(ground.scale(7, 2), {
      ours: () => measureLatencies(one.ours, samples),
      fresh: () => measureLatencies(one.fresh, samples),
      floor: () => measureLatencies(one.floor, samples)
    })
    const many = {
      ours: await openClients(() => connectOurs(READ)),
      fresh: await openClients(() => connectOurs(READ, FRESH)),
      floor: await openClients(() => connectFloor(READ))
    }
    const duration_ms = ground.scale(1_000, 50)
    const { fresh: freshLoad, ...load } = await interleave(ground.scale(5, 1), {
      ours: () => measureThroughput(many.ours, duration_ms),
      fresh: () => measureThroughput(many.fresh, duration_ms),
      floor: () => measureThroughput(many.floor, duration_ms)
    })
    return [
      ...latencyMeasurements('read 4 KB', single, LATENCY_TARGETS),
      rateMeasurement(`read 4 KB, ${IN_FLIGHT} in flight`, load, RATE_TARGET),
      ...latencyMeasurements('read 4 KB, no kept answer', { ...single, ours: fresh }, LATENCY_TARGETS),
      rateMeasurement(`read 4 KB, no kept answer, ${IN_FLIGHT} in flight`, { ...load, ours: freshLoad }, RATE_TARGET)
    ]
  }
} satisfies Benchmark
