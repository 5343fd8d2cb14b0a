// The effect of 20,000 calls on a server: its memory use, and the latency of its last responses compared with its first. Both
// sides are restarted in every round.
import { setTimeout as pause } from 'node:timers/promises'
import { openClients, startComparison } from '../comparison.ts'
import { BenchEnvironment, type BenchServer } from '../environment.ts'
import { type LoadClient, measureLatencies, sendAll, type ToolCall } from '../load-client.ts'
import { median } from '../measure.ts'
import type { Measurement, Target } from '../measurement.ts'
import { processTreeMemory, residentMemory } from '../memory.ts'
import { generateText } from '../sample-text.ts'
import type { Benchmark } from './benchmark.ts'

const FILES = 100
const SETTLE_MS = 1_000
const EARLY_CALLS = 100
const CALLS = 20_000

/** Measurements of one server; memory in MiB. */
interface ServerLifetime {
  idle: number
  idle_whole: number
  half: number
  end: number
  end_whole: number
  /** Median response time in milliseconds, after the first hundred calls and at the end. */
  early_ms: number
  late_ms: number
}

const READS: readonly ToolCall[] = Array.from({ length: FILES }, (_, i) => ({
  tool: 'read_file',
  params: { path: `${i}.txt` }
}))

export default {
  name: 'endurance',
  async measure(given) {
    const lives: { ours: ServerLifetime[]; floor: ServerLifetime[] } = { ours: [], floor: [] }
    for (let round = 0; round < given.scale(3, 1); round++) {
      const ground = new BenchEnvironment(given.isQuick)
      try {
        for (let i = 0; i < FILES; i++) ground.write(`${i}.txt`, generateText(4_096, i))
        const { ours, floor, connectOurs, connectFloor } = await startComparison(ground, '/read', READS.slice(0, 1))
        lives.ours.push(await measureLifetime(ground, ours, () => connectOurs(READS)))
        lives.floor.push(await measureLifetime(ground, floor, () => connectFloor(READS)))
      } finally {
        await ground.cleanUp()
      }
    }
    const compared = (
      work: string,
      unit: Measurement['unit'],
      figure: (life: ServerLifetime) => number,
      target?: Target
    ): Measurement => ({
      work,
      unit,
      ours: median(lives.ours.map(figure)),
      floor: median(lives.floor.map(figure)),
      ...(target && { target })
    })
    const small = { bound: 'at most', times: 1.4 } as const
    return [
      compared('memory, idle', 'MiB', ({ idle }) => idle, small),
      compared('memory after 10,000 calls', 'MiB', ({ half }) => half, small),
      compared('memory after 20,000 calls', 'MiB', ({ end }) => end, small),
      compared('memory with helper processes, idle', 'MiB', ({ idle_whole }) => idle_whole),
      compared('memory with helper processes after 20,000 calls', 'MiB', ({ end_whole }) => end_whole),
      compared('read at call 20,000 over call 100, p50', '×', ({ early_ms, late_ms }) => late_ms / early_ms, {
        bound: 'at most',
        plus: 1.1
      })
    ]
  }
} satisfies Benchmark

async function measureLifetime(
  ground: BenchEnvironment,
  { pid }: BenchServer,
  open: () => Promise<LoadClient>
): Promise<ServerLifetime> {
  const samples = ground.scale(200, 10)
  const half = ground.scale(CALLS / 2, 200)
  await pause(ground.scale(SETTLE_MS, 10))
  const idle = { idle: residentMemory(pid), idle_whole: processTreeMemory(pid) }
  const one = await open()
  const crowd = await openClients(open)
  await sendAll([one], EARLY_CALLS)
  const early_ms = median(await measureLatencies(one, samples))
  await sendAll(crowd, half - EARLY_CALLS - samples)
  const atHalf = residentMemory(pid)
  await sendAll(crowd, half - samples)
  const late_ms = median(await measureLatencies(one, samples))
  return { ...idle, half: atHalf, end: residentMemory(pid), end_whole: processTreeMemory(pid), early_ms, late_ms }
}
