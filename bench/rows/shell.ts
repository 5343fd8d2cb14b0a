// Runs a command: a call, against starting the same shell from a small process.
import { IN_FLIGHT, openClients } from '../comparison.ts'
import { LoadClient, measureLatencies, measureThroughput, type ToolCall } from '../load-client.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements, rateMeasurement } from '../measurement.ts'
import { findServerShell } from '../shell.ts'
import { type Command, measureDurations, type RunResult } from '../spawner.ts'
import type { Benchmark } from './benchmark.ts'

const ECHO: ToolCall = { tool: 'shell_exec', params: { command: 'echo hi' } }

export default {
  name: 'shell',
  async measure(ground) {
    const ours = await ground.startToolgate()
    const spawner = ground.spawner()
    const echo: Command = {
      file: findServerShell(),
      args: ['-c', 'echo hi'],
      cwd: ground.root,
      env: { PATH: process.env.PATH ?? '', HOME: ground.folder, TERM: 'dumb' }
    }
    const run = async () => assertOutput(await spawner.run(echo))
    const one = await LoadClient.open(ground, ours, [ECHO])
    const samples = ground.scale(100, 4)
    const single = await interleave(ground.scale(7, 2), {
      ours: () => measureLatencies(one, samples),
      floor: () => measureDurations(samples, run)
    })
    const many = {
      ours: await openClients(() => LoadClient.open(ground, ours, [ECHO])),
      floor: Array.from({ length: IN_FLIGHT }, () => ({ say: run }))
    }
    const duration_ms = ground.scale(1_000, 50)
    const load = await interleave(ground.scale(3, 1), {
      ours: () => measureThroughput(many.ours, duration_ms),
      floor: () => measureThroughput(many.floor, duration_ms)
    })
    return [
      ...latencyMeasurements('shell_exec echo hi', single, { p50: { bound: 'at most', times: 1.5, plus: 1 } }),
      rateMeasurement(`shell_exec echo hi, ${IN_FLIGHT} in flight`, load)
    ]
  }
} satisfies Benchmark

function assertOutput(ran: RunResult): RunResult {
  if (ran.code !== 0 || ran.stdout !== 'hi\n') throw new Error(`echo hi ended with ${ran.code}: ${ran.stdout}`)
  return ran
}
