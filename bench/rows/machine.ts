// What this machine does without any server of ours: nothing here can be quicker than it.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Connection, request } from '../http.ts'
import { inTurns, overRounds, timed } from '../measure.ts'
import type { Finding, Unit } from '../measurement.ts'
import { text } from '../sample-text.ts'
import { durations } from '../spawner.ts'
import type { Row } from './benchmark.ts'

const ECHOED = JSON.stringify({ tool: 'read_file', params: { path: '4k.txt' } })

export default {
  name: 'machine',
  async measure(ground) {
    ground.write('4k.txt', text(4_096, 1))
    const file = path.join(ground.root, '4k.txt')
    const fastify = await ground.floor('fastify')
    const connection = await Connection.open(fastify)
    ground.onClear(() => connection.close())
    const echo = request(fastify, 'POST', '/echo', {}, ECHOED)
    const spawner = ground.spawner()
    const nothing = { file: '/bin/true', args: [], cwd: ground.root, env: {} }
    const samples = ground.many(200, 5)

    const measured = await inTurns(ground.many(5, 1), {
      'bare Fastify echo': () => timed(samples, () => connection.send(echo)),
      'fs.readFile of 4 KB': () => timed(samples, () => readFile(file)),
      'spawn /bin/true': () => durations(samples, () => spawner.run(nothing))
    })
    const unit: Unit = 'ms'
    return Object.entries(measured).map(
      ([work, rounds]): Finding => ({ work: `${work}, p50`, unit, floor: overRounds(rounds, 0.5) })
    )
  }
} satisfies Row
