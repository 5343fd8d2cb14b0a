// Order of standard output and standard error in the combined output, over many commands, unsandboxed and in the sandbox.
import { openClients } from '../comparison.ts'
import type { BenchEnvironment } from '../environment.ts'
import { LoadClient, type ToolCall } from '../load-client.ts'
import type { Measurement } from '../measurement.ts'
import type { Benchmark } from './benchmark.ts'

const OUTPUT = 'o1\\ne1\\no2\\ne2\\no3\\n'
const ALTERNATE: ToolCall = {
  tool: 'shell_exec',
  params: { command: 'echo o1; echo e1 >&2; echo o2; echo e2 >&2; echo o3' }
}
const RUNS = 1_000

export default {
  name: 'order',
  async measure(ground) {
    const findings: Measurement[] = []
    for (const level of ['none', 'workspace'] as const) findings.push(await countWrongOrders(ground, level))
    return findings
  }
} satisfies Benchmark

async function countWrongOrders(ground: BenchEnvironment, level: 'none' | 'workspace'): Promise<Measurement> {
  const server = await ground.startToolgate(ground.root, level)
  const clients = await openClients(() => LoadClient.open(ground, server, [ALTERNATE]))
  const runs = ground.scale(RUNS, 32)
  let left = runs
  let wrong = 0
  const work = async (client: LoadClient) => {
    while (left-- > 0) {
      const { body } = await client.say()
      if (!body.includes(`"output":"${OUTPUT}"`) || !body.includes(`"isolation":"${level}"`)) wrong += 1
    }
  }
  await Promise.all(clients.map(work))
  await server.stop()
  const about = `outputs in another order than written, of ${runs} commands, isolation ${level}`
  return { work: about, unit: '', ours: wrong, target: { bound: 'at most', plus: 0 } }
}
