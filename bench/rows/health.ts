// Responsiveness while commands run: latency of GET /health beside many concurrent commands, and beside one with much output; and
// the memory use of that one.
import { openClients } from '../comparison.ts'
import type { BenchEnvironment, BenchServer } from '../environment.ts'
import { Connection, encodeRequest } from '../http.ts'
import { LoadClient, sendAll, type ToolCall } from '../load-client.ts'
import { percentile } from '../measure.ts'
import type { Measurement, Target } from '../measurement.ts'
import { residentMemory } from '../memory.ts'
import type { Benchmark } from './benchmark.ts'

const TRUE: ToolCall = { tool: 'shell_exec', params: { command: 'true' } }
const HEALTH_TARGET: Target = { bound: 'at most', plus: 50 }
const MEMORY_TARGET: Target = { bound: 'at most', plus: 64 }
const MIB = 1 << 20
const MEMORY_SAMPLE_EVERY = 20

export default {
  name: 'health',
  async measure(ground) {
    const findings: Measurement[] = []
    for (const level of ['none', 'workspace'] as const) {
      const server = await ground.startToolgate(ground.root, level)
      const crowd = await openClients(() => LoadClient.open(ground, server, [TRUE]))
      const { waits } = await measureHealthDuring(ground, server, () => sendAll(crowd, ground.scale(2_000, 64)))
      findings.push(toMeasurement(`GET /health beside 32 commands, isolation ${level}, p99`, waits))
      await server.stop()
    }
    return [...findings, ...(await measureFlood(ground))]
  }
} satisfies Benchmark

/** A gigabyte of output. */
async function measureFlood(ground: BenchEnvironment): Promise<Measurement[]> {
  const server = await ground.startToolgate()
  const mib = ground.scale(1_024, 32)
  const command = `yes 'some text without any secrets in it' | head -c ${mib * MIB}`
  const flood = await LoadClient.open(ground, server, [
    { tool: 'shell_exec', params: { command, timeout_ms: 150_000 } }
  ])
  const warm = await LoadClient.open(ground, server, [TRUE])
  await warm.say()
  const idle = residentMemory(server.pid)
  const began = performance.now()
  const { waits, memory } = await measureHealthDuring(ground, server, () => flood.say())
  const rate = mib / ((performance.now() - began) / 1_000)
  return [
    toMeasurement(`GET /health beside ${mib} MiB of output, p99`, waits),
    { work: `memory over idle for ${mib} MiB of output`, unit: 'MiB', ours: memory - idle, target: MEMORY_TARGET },
    { work: 'MiB of output taken', unit: '/s', ours: rate }
  ]
}

/** Polls the health while the work goes on; also returns the peak memory. */
async function measureHealthDuring(ground: BenchEnvironment, server: BenchServer, work: () => Promise<unknown>) {
  const connection = await Connection.open(server)
  ground.onCleanup(() => connection.close())
  const ask = encodeRequest(server, 'GET', '/health')
  await connection.send(ask)
  const waits: number[] = []
  let memory = 0
  let over = false
  const ended = work().finally(() => {
    over = true
  })
  while (!over) {
    const began = performance.now()
    const { status } = await connection.send(ask)
    waits.push(performance.now() - began)
    if (status !== 200) throw new Error(`/health answered ${status}`)
    if (waits.length % MEMORY_SAMPLE_EVERY === 1) memory = Math.max(memory, residentMemory(server.pid))
  }
  await ended
  return { waits, memory }
}

const toMeasurement = (work: string, waits: readonly number[]): Measurement => ({
  work,
  unit: 'ms',
  ours: percentile(waits, 0.99),
  target: HEALTH_TARGET
})
