// Many waiting approvals: health while editors come back, each with an event stream, the list of approvals and the state, beside a bare
// Fastify that has nothing to do.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchEnvironment, BenchServer } from '../environment.ts'
import { HealthProber } from '../health-prober.ts'
import { Connection, encodeRequest } from '../http.ts'
import { percentile } from '../measure.ts'
import type { Measurement } from '../measurement.ts'
import { residentMemory } from '../memory.ts'
import { generateLines } from '../sample-text.ts'
import { Subscribers } from '../subscribers.ts'
import type { Benchmark } from './benchmark.ts'

const WAITING = 2_000
const EDITORS = 20
const BATCH_SIZE = 50
const LINES = 200
/** Milliseconds for which health is probed after the editors are there. */
const AFTER_MS = 500

export default {
  name: 'approvals',
  async measure(ground) {
    const waiting = ground.scale(WAITING, 2 * BATCH_SIZE)
    const server = await ground.startToolgate(ground.root, 'unconfigured')
    const floor = await ground.startFloor('fastify')
    const idle = residentMemory(server.pid)
    await fillQueue(ground, server, waiting)
    const memory = residentMemory(server.pid)
    const measure = async (name: string, work: () => Promise<unknown>): Promise<Measurement[]> => {
      const prober = await HealthProber.start([server, floor])
      await work()
      await pause(ground.scale(AFTER_MS, 10))
      const [ours, control] = (await prober.stop()) as [number[], number[]]
      const figure = (title: string, part: number): Measurement => ({
        work: `GET /health while ${EDITORS} clients ${name}, ${waiting} approvals waiting, ${title}`,
        unit: 'ms',
        ours: percentile(ours, part),
        floor: percentile(control, part),
        target: { bound: 'at most', times: 1, plus: 100 }
      })
      return [figure('p99', 0.99), figure('maximum', 1)]
    }
    return [
      ...(await measure('open an event stream', async () => {
        const streams = await Subscribers.open(server, '/events', EDITORS)
        ground.onCleanup(() => streams.close())
      })),
      ...(await measure('list the approvals', () => readAll(server, '/approvals'))),
      ...(await measure('read the state', () => readAll(server, '/state'))),
      { work: `memory with ${waiting} approvals waiting, over that before`, unit: 'MiB', ours: memory, floor: idle }
    ]
  }
} satisfies Benchmark

/** Makes edits that wait for a decision, each with a preview. */
async function fillQueue(ground: BenchEnvironment, server: BenchServer, count: number) {
  const connection = await Connection.open(server)
  ground.onCleanup(() => connection.close())
  for (let begun = 0; begun < count; begun += BATCH_SIZE) {
    const names = Array.from({ length: BATCH_SIZE }, (_, i) => `${begun + i}.txt`)
    for (const name of names) writeFileSync(path.join(ground.root, name), `first line\n${generateLines(LINES, begun)}`)
    const calls = names.map(name => ({ tool: 'edit_file', params: { path: name, old: 'first line', new: name } }))
    const request = encodeRequest(server, 'POST', '/calls/batch?wait_ms=0', {}, JSON.stringify({ calls }))
    const { body } = await connection.send(request)
    const { results } = JSON.parse(body.toString()) as { results: { status: string }[] }
    if (!results.every(({ status }) => status === 'awaiting_approval'))
      throw new Error(`no approval was asked for: ${body.subarray(0, 600)}`)
  }
}

const readAll = ({ host, port, token }: BenchServer, target: string) =>
  Promise.all(
    Array.from({ length: EDITORS }, async () => {
      const response = await fetch(`http://${host}:${port}${target}`, { headers: { authorization: `Bearer ${token}` } })
      if (!response.ok) throw new Error(`${target} answered ${response.status}`)
      await response.arrayBuffer()
    })
  )
