// Whether the server answers others while commands run: how long GET /health takes beside many commands at once, and
// beside one that prints a great deal; and how much memory that one takes.
import { talkers } from '../comparison.ts'
import type { Ground, Server } from '../environment.ts'
import { Connection, request } from '../http.ts'
import { spread, Talker, type ToolCall } from '../load-client.ts'
import { percentile } from '../measure.ts'
import type { Finding, Target } from '../measurement.ts'
import { ownMemory } from '../memory.ts'
import type { Row } from './benchmark.ts'

const TRUE: ToolCall = { tool: 'shell_exec', params: { command: 'true' } }
const SOON: Target = { bound: 'at most', plus: 50 }
const MEMORY: Target = { bound: 'at most', plus: 64 }
const MIB = 1 << 20
const LOOK_EVERY = 20

export default {
  name: 'health',
  async measure(ground) {
    const findings: Finding[] = []
    for (const level of ['none', 'workspace'] as const) {
      const server = await ground.ours(ground.root, level)
      const crowd = await talkers(() => Talker.open(ground, server, [TRUE]))
      const { waits } = await beside(ground, server, () => spread(crowd, ground.many(2_000, 64)))
      findings.push(waited(`GET /health beside 32 commands, isolation ${level}, p99`, waits))
      await server.stop()
    }
    return [...findings, ...(await flooded(ground))]
  }
} satisfies Row

/** A gigabyte of output. */
async function flooded(ground: Ground): Promise<Finding[]> {
  const server = await ground.ours()
  const mib = ground.many(1_024, 32)
  const command = `yes 'some text without any secrets in it' | head -c ${mib * MIB}`
  const flood = await Talker.open(ground, server, [{ tool: 'shell_exec', params: { command, timeout_ms: 150_000 } }])
  const warm = await Talker.open(ground, server, [TRUE])
  await warm.say()
  const idle = ownMemory(server.pid)
  const began = performance.now()
  const { waits, memory } = await beside(ground, server, () => flood.say())
  const rate = mib / ((performance.now() - began) / 1_000)
  return [
    waited(`GET /health beside ${mib} MiB of output, p99`, waits),
    { work: `memory over idle for ${mib} MiB of output`, unit: 'MiB', ours: memory - idle, target: MEMORY },
    { work: 'MiB of output taken', unit: '/s', ours: rate }
  ]
}

/** Asks for the health again and again while the work goes on; tells also the most memory that was seen meanwhile. */
async function beside(ground: Ground, server: Server, work: () => Promise<unknown>) {
  const connection = await Connection.open(server)
  ground.onClear(() => connection.close())
  const ask = request(server, 'GET', '/health')
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
    if (waits.length % LOOK_EVERY === 1) memory = Math.max(memory, ownMemory(server.pid))
  }
  await ended
  return { waits, memory }
}

const waited = (work: string, waits: readonly number[]): Finding => ({
  work,
  unit: 'ms',
  ours: percentile(waits, 0.99),
  target: SOON
})
