// From the start of the process to its first answer, which for ours is that of a call. The floor is a bare Fastify that
// answers the same. Compiled code is kept from an earlier start by ours, as it is for whoever starts it again.

import type { Server } from '../environment.ts'
import { Connection, request } from '../http.ts'
import { inTurns } from '../measure.ts'
import { latencyFindings } from '../measurement.ts'
import { text } from '../sample-text.ts'
import type { Row } from './benchmark.ts'

const READ = JSON.stringify({ tool: 'read_file', params: { path: '4k.txt' } })

export default {
  name: 'start',
  async measure(ground) {
    ground.write('4k.txt', text(4_096, 1))
    const { ours, configured, floor } = await inTurns(ground.many(11, 1), {
      ours: () => firstAnswer(() => ground.ours(ground.root, 'unconfigured'), '/calls'),
      configured: () => firstAnswer(() => ground.ours(), '/calls'),
      floor: () => firstAnswer(() => ground.floor('fastify'), '/read')
    })
    const quick = { p50: { bound: 'at most', times: 1.4 } } as const
    const [median] = latencyFindings('start to first answer', { ours, floor }, quick)
    const [withRules] = latencyFindings('start to first answer, with a file of rules', { ours: configured, floor })
    return [median!, withRules!]
  }
} satisfies Row

/** Milliseconds from the start of the process to the answer of its first call. */
export async function firstAnswer(start: () => Promise<Server>, target: string): Promise<number[]> {
  const began = performance.now()
  const server = await start()
  const connection = await Connection.open(server)
  const { status } = await connection.send(request(server, 'POST', target, {}, READ))
  const took = performance.now() - began
  connection.close()
  await server.stop()
  if (status !== 200) throw new Error(`the first answer was ${status}`)
  return [took]
}
