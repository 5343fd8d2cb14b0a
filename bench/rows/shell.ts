// Running a command: a call, against starting the same shell from a small process.
import { IN_FLIGHT, talkers } from '../comparison.ts'
import { latencies, Talker, type ToolCall, throughput } from '../load-client.ts'
import { inTurns } from '../measure.ts'
import { latencyFindings, rateFinding } from '../measurement.ts'
import { shell } from '../shell.ts'
import { type Command, durations, type Ran } from '../spawner.ts'
import type { Row } from './benchmark.ts'

const ECHO: ToolCall = { tool: 'shell_exec', params: { command: 'echo hi' } }

export default {
  name: 'shell',
  async measure(ground) {
    const ours = await ground.ours()
    const spawner = ground.spawner()
    const echo: Command = {
      file: shell(),
      args: ['-c', 'echo hi'],
      cwd: ground.root,
      env: { PATH: process.env.PATH ?? '', HOME: ground.folder, TERM: 'dumb' }
    }
    const run = async () => checked(await spawner.run(echo))
    const one = await Talker.open(ground, ours, [ECHO])
    const samples = ground.many(100, 4)
    const single = await inTurns(ground.many(7, 2), {
      ours: () => latencies(one, samples),
      floor: () => durations(samples, run)
    })
    const many = {
      ours: await talkers(() => Talker.open(ground, ours, [ECHO])),
      floor: Array.from({ length: IN_FLIGHT }, () => ({ say: run }))
    }
    const duration_ms = ground.many(1_000, 50)
    const load = await inTurns(ground.many(3, 1), {
      ours: () => throughput(many.ours, duration_ms),
      floor: () => throughput(many.floor, duration_ms)
    })
    return [
      ...latencyFindings('shell_exec echo hi', single, { p50: { bound: 'at most', times: 1.5, plus: 1 } }),
      rateFinding(`shell_exec echo hi, ${IN_FLIGHT} in flight`, load)
    ]
  }
} satisfies Row

function checked(ran: Ran): Ran {
  if (ran.code !== 0 || ran.stdout !== 'hi\n') throw new Error(`echo hi ended with ${ran.code}: ${ran.stdout}`)
  return ran
}
