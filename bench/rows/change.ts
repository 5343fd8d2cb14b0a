// What rows that change files have in common: one file changed over and over, then as many as may be in flight.
import { contest, IN_FLIGHT, talkers } from '../comparison.ts'
import type { Ground } from '../environment.ts'
import { latencies, type ToolCall, throughput } from '../load-client.ts'
import { inTurns } from '../measure.ts'
import { type Finding, latencyFindings, rateFinding } from '../measurement.ts'

export interface Change {
  work: string
  /** The floor's route that does the same. */
  route: string
  /** What the file at this path holds at first. */
  content: string
  /** Changes of the file that can be made in turn for ever. */
  calls(path: string): readonly ToolCall[]
}

const QUICK_ENOUGH = { p50: { bound: 'at most', times: 2 } } as const

export async function measureChange(ground: Ground, { work, route, content, calls }: Change): Promise<Finding[]> {
  const paths = Array.from({ length: IN_FLIGHT }, (_, i) => `${i}.txt`)
  for (const path of ['one.txt', ...paths]) ground.write(path, content)
  const { talkOurs, talkFloor } = await contest(ground, route, calls('one.txt'))
  const one = { ours: await talkOurs(calls('one.txt')), floor: await talkFloor(calls('one.txt')) }
  const samples = ground.many(250, 8)
  const single = await inTurns(ground.many(7, 2), {
    ours: () => latencies(one.ours, samples),
    floor: () => latencies(one.floor, samples)
  })
  const many = {
    ours: await talkers(i => talkOurs(calls(paths[i]!))),
    floor: await talkers(i => talkFloor(calls(paths[i]!)))
  }
  const duration_ms = ground.many(1_000, 50)
  const load = await inTurns(ground.many(3, 1), {
    ours: () => throughput(many.ours, duration_ms),
    floor: () => throughput(many.floor, duration_ms)
  })
  return [...latencyFindings(work, single, QUICK_ENOUGH), rateFinding(`${work}, ${IN_FLIGHT} in flight`, load)]
}
