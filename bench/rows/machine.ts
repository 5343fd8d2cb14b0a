// Lower bounds of this machine without our server: nothing here can be faster.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Connection, encodeRequest } from '../http.ts'
import { interleave, medianOverRounds, timeEach } from '../measure.ts'
import type { Measurement, Unit } from '../measurement.ts'
import { generateText } from '../sample-text.ts'
import { measureDurations } from '../spawner.ts'
import type { Benchmark } from './benchmark.ts'

const ECHO_BODY = JSON.stringify({ tool: 'read_file', params: { path: '4k.txt' } })

export default {
  name: 'machine',
  async measure(ground) {
    ground.write('4k.txt', generateText(4_096, 1))
    const file = path.join(ground.root, '4k.txt')
    const fastify = await ground.startFloor('fastify')
    const connection = await Connection.open(fastify)
    ground.onCleanup(() => connection.close())
    const echo = encodeRequest(fastify, 'POST', '/echo', {}, ECHO_BODY)
    const spawner = ground.spawner()
    const nothing = { file: '/bin/true', args: [], cwd: ground.root, env: {} }
    const samples = ground.scale(200, 5)

    const measured = await interleave(ground.scale(5, 1), {
      'bare Fastify echo': () => timeEach(samples, () => connection.send(echo)),
      'fs.readFile of 4 KB': () => timeEach(samples, () => readFile(file)),
      'spawn /bin/true': () => measureDurations(samples, () => spawner.run(nothing))
    })
    const unit: Unit = 'ms'
    return Object.entries(measured).map(
      ([work, rounds]): Measurement => ({ work: `${work}, p50`, unit, floor: medianOverRounds(rounds, 0.5) })
    )
  }
} satisfies Benchmark
