// From process start to the first response, which for the server is that of a call. The floor is a bare Fastify with the same
// response. The server's compile cache is warm, as for anyone who starts it again.

import type { BenchServer } from '../environment.ts'
import { Connection, encodeRequest } from '../http.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements } from '../measurement.ts'
import { generateText } from '../sample-text.ts'
import type { Benchmark } from './benchmark.ts'

const READ = JSON.stringify({ tool: 'read_file', params: { path: '4k.txt' } })

export default {
  name: 'start',
  async measure(ground) {
    ground.write('4k.txt', generateText(4_096, 1))
    const { ours, configured, floor } = await interleave(ground.scale(11, 1), {
      ours: () => timeToFirstAnswer(() => ground.startToolgate(ground.root, 'unconfigured'), '/calls'),
      configured: () => timeToFirstAnswer(() => ground.startToolgate(), '/calls'),
      floor: () => timeToFirstAnswer(() => ground.startFloor('fastify'), '/read')
    })
    const quick = { p50: { bound: 'at most', times: 1.4 } } as const
    const [median] = latencyMeasurements('start to first answer', { ours, floor }, quick)
    const [withRules] = latencyMeasurements('start to first answer, with a file of rules', { ours: configured, floor })
    return [median!, withRules!]
  }
} satisfies Benchmark

/** Returns the milliseconds from process start to the response to its first call. */
export async function timeToFirstAnswer(start: () => Promise<BenchServer>, target: string): Promise<number[]> {
  const began = performance.now()
  const server = await start()
  const connection = await Connection.open(server)
  const { status } = await connection.send(encodeRequest(server, 'POST', target, {}, READ))
  const took = performance.now() - began
  connection.close()
  await server.stop()
  if (status !== 200) throw new Error(`the first answer was ${status}`)
  return [took]
}
