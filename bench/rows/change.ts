// Shared code of rows that change files: one file changed repeatedly, then as many as may be in flight.
import { IN_FLIGHT, openClients, startComparison } from '../comparison.ts'
import type { BenchEnvironment } from '../environment.ts'
import { measureLatencies, measureThroughput, type ToolCall } from '../load-client.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements, type Measurement, rateMeasurement } from '../measurement.ts'

export interface ChangeBenchmark {
  work: string
  /** The equivalent route of the floor. */
  route: string
  /** Initial content of the file at this path. */
  content: string
  /** Changes of the file that can be repeated in turn indefinitely. */
  calls(path: string): readonly ToolCall[]
}

const LATENCY_TARGETS = { p50: { bound: 'at most', times: 2 } } as const

export async function measureChange(
  ground: BenchEnvironment,
  { work, route, content, calls }: ChangeBenchmark
): Promise<Measurement[]> {
  const paths = Array.from({ length: IN_FLIGHT }, (_, i) => `${i}.txt`)
  for (const path of ['one.txt', ...paths]) ground.write(path, content)
  const { connectOurs, connectFloor } = await startComparison(ground, route, calls('one.txt'))
  const one = { ours: await connectOurs(calls('one.txt')), floor: await connectFloor(calls('one.txt')) }
  const samples = ground.scale(250, 8)
  const single = await interleave(ground.scale(7, 2), {
    ours: () => measureLatencies(one.ours, samples),
    floor: () => measureLatencies(one.floor, samples)
  })
  const many = {
    ours: await openClients(i => connectOurs(calls(paths[i]!))),
    floor: await openClients(i => connectFloor(calls(paths[i]!)))
  }
  const duration_ms = ground.scale(1_000, 50)
  const load = await interleave(ground.scale(3, 1), {
    ours: () => measureThroughput(many.ours, duration_ms),
    floor: () => measureThroughput(many.floor, duration_ms)
  })
  return [
    ...latencyMeasurements(work, single, LATENCY_TARGETS),
    rateMeasurement(`${work}, ${IN_FLIGHT} in flight`, load)
  ]
}
