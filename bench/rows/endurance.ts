// What 20,000 calls do to a server: how much memory it takes, and whether its last answers are as quick as its first.
// Both sides live through it anew in every round.
import { setTimeout as pause } from 'node:timers/promises'
import { contest, talkers } from '../comparison.ts'
import { Ground, type Server } from '../environment.ts'
import { latencies, spread, type Talker, type ToolCall } from '../load-client.ts'
import { median } from '../measure.ts'
import type { Finding, Target } from '../measurement.ts'
import { ownMemory, wholeMemory } from '../memory.ts'
import { text } from '../sample-text.ts'
import type { Row } from './benchmark.ts'

const FILES = 100
const SETTLE_MS = 1_000
const EARLY = 100
const CALLS = 20_000

/** What was seen of one server; memory in MiB. */
interface Life {
  idle: number
  idle_whole: number
  half: number
  end: number
  end_whole: number
  /** Median milliseconds of an answer, after the first hundred calls and at the end. */
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
    const lives: { ours: Life[]; floor: Life[] } = { ours: [], floor: [] }
    for (let round = 0; round < given.many(3, 1); round++) {
      const ground = new Ground(given.quick)
      try {
        for (let i = 0; i < FILES; i++) ground.write(`${i}.txt`, text(4_096, i))
        const { ours, floor, talkOurs, talkFloor } = await contest(ground, '/read', READS.slice(0, 1))
        lives.ours.push(await live(ground, ours, () => talkOurs(READS)))
        lives.floor.push(await live(ground, floor, () => talkFloor(READS)))
      } finally {
        await ground.clear()
      }
    }
    const compared = (
      work: string,
      unit: Finding['unit'],
      figure: (life: Life) => number,
      target?: Target
    ): Finding => ({
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
} satisfies Row

async function live(ground: Ground, { pid }: Server, open: () => Promise<Talker>): Promise<Life> {
  const samples = ground.many(200, 10)
  const half = ground.many(CALLS / 2, 200)
  await pause(ground.many(SETTLE_MS, 10))
  const idle = { idle: ownMemory(pid), idle_whole: wholeMemory(pid) }
  const one = await open()
  const crowd = await talkers(open)
  await spread([one], EARLY)
  const early_ms = median(await latencies(one, samples))
  await spread(crowd, half - EARLY - samples)
  const atHalf = ownMemory(pid)
  await spread(crowd, half - samples)
  const late_ms = median(await latencies(one, samples))
  return { ...idle, half: atHalf, end: ownMemory(pid), end_whole: wholeMemory(pid), early_ms, late_ms }
}
